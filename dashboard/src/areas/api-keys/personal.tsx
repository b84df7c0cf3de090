// The API keys of the person who is signed in.

import { useState } from 'react';
import { useAction, useData } from '../../client/data.ts';
import { useViewer } from '../../client/rights.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { Empty, Loaded } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toast.tsx';
import { DeletePersonalApiKeyDocument, PersonalApiKeysDocument } from './api-keys.generated.ts';
import { NewKey } from './create.tsx';
import { Scopes } from './scopes.tsx';

interface Key {
  readonly id: string;
  readonly description: string;
}

const named = ({ id, description }: Key) => description || id;

/** Asks before a key is revoked. */
function Revoke({ apiKey, close }: { apiKey: Key; close: () => void }) {
  const { run, running, problem } = useAction(DeletePersonalApiKeyDocument, ['ApiKey']);
  const input = { id: apiKey.id };
  return (
    <Confirm
      title={`Revoke ${named(apiKey)}?`}
      action="Revoke"
      running={running}
      problem={problem}
      close={close}
      call={<Call document={DeletePersonalApiKeyDocument} variables={{ input }} />}
      confirm={async () => {
        if (!(await run({ input }))) return;
        say('Revoked.');
        close();
      }}
    >
      What uses it is refused from now on. It cannot come back.
    </Confirm>
  );
}

export default function PersonalApiKeys() {
  const { person } = useViewer();
  const reading = useData(PersonalApiKeysDocument, {}, ['ApiKey']);
  const [isMaking, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<Key | null>(null);
  if (person == null) {
    return (
      <Page title="Your API keys">
        <Empty title="Only people have keys of their own">You are signed in with an API key of the account.</Empty>
      </Page>
    );
  }
  return (
    <Page
      title="Your API keys"
      description="They can do at most what you may do at the moment, and rest while you cannot sign in."
    >
      <Panel
        title="Keys"
        actions={
          <Button look="primary" onPress={() => setMaking(true)}>
            New key of yours
          </Button>
        }
      >
        <Loaded reading={reading}>
          {({ viewer }) =>
            viewer?.personalApiKeys.length === 0 ? (
              <p className="muted">You have none.</p>
            ) : (
              <ul className="stack">
                {viewer?.personalApiKeys.map((apiKey) => (
                  <li key={apiKey.id} className="row">
                    <strong>{named(apiKey)}</strong>
                    <Scopes scopes={apiKey.scopes} />
                    <span className="muted">
                      made <Time value={apiKey.createdAt} />
                    </span>
                    <Button label={`Revoke: ${named(apiKey)}`} onPress={() => setRevoked(apiKey)}>
                      Revoke
                    </Button>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Panel>
      {isMaking && <NewKey personal close={() => setMaking(false)} />}
      {revoked !== null && <Revoke apiKey={revoked} close={() => setRevoked(null)} />}
    </Page>
  );
}
