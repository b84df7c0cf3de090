// The API keys of the person who is signed in.

import { useState } from 'react';
import { useAction, useData } from '../../client/data.ts';
import { useViewer } from '../../client/rights.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { End } from '../../kit/end.tsx';
import { Export } from '../../kit/export.tsx';
import { Empty, Loaded } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { Table } from '../../kit/table.tsx';
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
  const keys = reading.data?.viewer?.personalApiKeys ?? [];
  return (
    <Page
      title="Your API keys"
      description="They can do at most what you may do at the moment, and rest while you cannot sign in."
    >
      <Panel
        title="Keys"
        flush
        actions={
          <>
            {keys.length > 0 && <Export label="Your API keys" of={keys} />}
            <Button look="primary" onPress={() => setMaking(true)}>
              New key of yours
            </Button>
          </>
        }
      >
        <Loaded reading={reading}>
          {() =>
            keys.length === 0 ? (
              <Empty title="You have none">
                A program that works for you can have a key that may do less than you.
              </Empty>
            ) : (
              <Table
                label="Your API keys"
                rows={keys}
                keyOf={({ id }) => id}
                columns={[
                  { title: 'Key', cell: named },
                  { title: 'May', wide: true, cell: ({ scopes }) => <Scopes scopes={scopes} /> },
                  { title: 'Last used', wide: true, cell: ({ lastUsedAt }) => <Time value={lastUsedAt} /> },
                  { title: 'Ends', cell: ({ expiresAt }) => <End at={expiresAt} /> },
                  { title: 'Created', wide: true, cell: ({ createdAt }) => <Time value={createdAt} /> },
                  {
                    title: 'Revoke',
                    isTitleHidden: true,
                    align: 'end',
                    cell: (apiKey) => (
                      <Button label={`Revoke: ${named(apiKey)}`} onPress={() => setRevoked(apiKey)}>
                        Revoke
                      </Button>
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Panel>
      {isMaking && <NewKey personal close={() => setMaking(false)} />}
      {revoked !== null && <Revoke apiKey={revoked} close={() => setRevoked(null)} />}
    </Page>
  );
}
