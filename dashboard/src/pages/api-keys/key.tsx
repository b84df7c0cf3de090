// One API key.

import { useAction, useData } from '../../client/data.ts';
import { useCan, useViewer } from '../../client/rights.ts';
import { sessionEnded } from '../../client/session.ts';
import { Badge } from '../../kit/badge.tsx';
import { Call } from '../../kit/call.tsx';
import { CopyButton } from '../../kit/copy.tsx';
import { useDraft } from '../../kit/draft.ts';
import { EditForm } from '../../kit/form.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Loaded, Notice } from '../../kit/notice.tsx';
import { Detail, Details, Page, Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { sayActor } from '../../trail/changes.tsx';
import { FinalDeletion } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { useDone } from '../../trail/undo.ts';
import { ApiKeyDocument, type ApiKeyQuery, RevokeApiKeyDocument, UpdateApiKeyDocument } from './api-keys.generated.ts';
import { End } from './end.tsx';
import styles from './keys.module.css';
import { sayScope } from './rights.ts';

type Key = NonNullable<ApiKeyQuery['apiKey']>;

function Settings({ apiKey }: { apiKey: Key }) {
  const canWrite = useCan('api-keys:write');
  const { description, metadata } = apiKey;
  const draft = useDraft({ description, metadata }, apiKey.version);
  const { run, running, problem } = useAction(UpdateApiKeyDocument, ['ApiKey']);
  const done = useDone();
  const input = { id: apiKey.id, expectedVersion: draft.version, ...draft.changes };
  return (
    <Panel title="Settings">
      <EditForm
        draft={draft}
        titles={{ description: 'Description', metadata: 'Metadata' }}
        by={apiKey.updatedBy ? sayActor(apiKey.updatedBy) : undefined}
        running={running}
        problem={problem}
        canWrite={canWrite}
        call={
          <Call
            rest={{ method: 'PATCH', path: `/api_keys/${apiKey.id}`, body: draft.changes, ifMatch: draft.version }}
            document={UpdateApiKeyDocument}
            variables={{ input }}
          />
        }
        save={async () => {
          const written = (await run({ input }))?.updateApiKey?.apiKey;
          if (written) done('Key saved.', written);
        }}
      >
        <DescriptionField draft={draft} problem={problem} canWrite={canWrite} />
        <MetadataField draft={draft} problem={problem} canWrite={canWrite} />
      </EditForm>
    </Panel>
  );
}

function Shown({ apiKey }: { apiKey: Key }) {
  const canWrite = useCan('api-keys:write');
  const { apiKey: own } = useViewer();
  const isOwn = apiKey.id === own.id;
  const name = apiKey.description || apiKey.id;
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
            question={{ title: 'Revoke this key?', action: 'Revoke key' }}
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
      <Settings apiKey={apiKey} />
      <History objectId={apiKey.id} kind="ApiKey" canWrite={canWrite} />
    </Page>
  );
}

export default function ApiKeyPage({ id }: { id: string }) {
  const reading = useData(ApiKeyDocument, { id }, ['ApiKey']);
  return <Loaded reading={reading}>{({ apiKey }) => apiKey && <Shown apiKey={apiKey} />}</Loaded>;
}
