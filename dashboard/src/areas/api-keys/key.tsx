// One API key.

import { commands } from '../../client/commands.ts';
import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan, useViewer } from '../../client/rights.ts';
import { sessionEnded } from '../../client/session.ts';
import { Badge } from '../../kit/badge.tsx';
import { CopyButton } from '../../kit/copy.tsx';
import { End } from '../../kit/end.tsx';
import { Loaded, Notice } from '../../kit/notice.tsx';
import { Detail, Details, Page, Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { FinalDeletion } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { NoteForm } from '../../trail/note-form.tsx';
import { ApiKeyDocument, type ApiKeyQuery, RevokeApiKeyDocument, UpdateApiKeyDocument } from './api-keys.generated.ts';
import styles from './keys.module.css';
import { sayScope } from './rights.ts';

type Key = NonNullable<ApiKeyQuery['apiKey']>;

function Shown({ apiKey }: { apiKey: Key }) {
  const canWrite = useCan('api-keys:write');
  const { apiKey: own } = useViewer();
  const isOwn = apiKey.id === own?.id;
  const name = nameOf(apiKey);
  return (
    <Page
      title={name}
      crumbs={[{ title: 'API keys', href: '/api-keys' }]}
      actions={
        canWrite && (
          <FinalDeletion
            label="Revoke"
            of={apiKey}
            kind="ApiKey"
            document={RevokeApiKeyDocument}
            input={(expectedVersion) => ({ id: apiKey.id, expectedVersion })}
            path={`/api_keys/${apiKey.id}`}
            alsoChanged={['DashboardSession']}
            deed="revokes"
            said="Key revoked."
            next={isOwn ? sessionEnded : '/api-keys'}
            question={{ title: 'Revoke this key?', action: 'Revoke key', wayBack: commands.createKey }}
          >
            <div className="stack">
              <p>
                Whatever uses “{name}” is refused from then on, and who has signed in with it is signed out. This cannot
                be undone: a new key would have to be made.
              </p>
              {isOwn && (
                <Notice tone="bad" title="This is your own key.">
                  Your session ends with it, and you need another key to sign in again.
                </Notice>
              )}
            </div>
          </FinalDeletion>
        )
      }
    >
      <Panel title="This key" actions={isOwn && <Badge tone="accent">yours: you signed in with it</Badge>}>
        <Details>
          <Detail name="Identifier">
            <span className={styles.id}>
              <span className="mono">{apiKey.id}</span>
              <CopyButton text={apiKey.id} label="identifier" />
            </span>
          </Detail>
          <Detail name="May">
            <ul className={styles.scopes}>
              {apiKey.scopes.map((scope) => (
                <li key={scope}>
                  <Badge tone={scope === 'write' ? 'caution' : 'neutral'}>{scope}</Badge>{' '}
                  <span className="muted">{sayScope(scope)}</span>
                </li>
              ))}
            </ul>
          </Detail>
          <Detail name="Last used">
            <Time value={apiKey.lastUsedAt} />
          </Detail>
          <Detail name="Ends">
            <End at={apiKey.expiresAt} />
          </Detail>
          <Detail name="Made">
            <Time value={apiKey.createdAt} />
          </Detail>
        </Details>
      </Panel>
      <NoteForm
        of={apiKey}
        kind="ApiKey"
        document={UpdateApiKeyDocument}
        writtenOf={(answer) => answer.updateApiKey?.apiKey}
        path={`/api_keys/${apiKey.id}`}
        said="Key saved."
        canWrite={canWrite}
      />
      <History objectId={apiKey.id} kind="ApiKey" canWrite={canWrite} />
    </Page>
  );
}

export default function ApiKeyPage({ id }: { id: string }) {
  const reading = useData(ApiKeyDocument, { id }, ['ApiKey']);
  return <Loaded reading={reading}>{({ apiKey }) => apiKey && <Shown apiKey={apiKey} />}</Loaded>;
}
