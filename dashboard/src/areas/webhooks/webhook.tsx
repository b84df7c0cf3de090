// One webhook.

import { useState } from 'react';
import { useAction, useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { LinesField, SelectField, Switch, sentLines, TextField } from '../../kit/fields.tsx';
import { errorOf, lineErrorOf } from '../../kit/form.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Loaded, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { FinalDeletion } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { LastChange } from '../../trail/last-change.tsx';
import { ObjectForm } from '../../trail/object-form.tsx';
import Deliveries from './deliveries.tsx';
import { eventsHint, formatField, Standing } from './list.tsx';
import { NewSecret } from './secret.tsx';
import {
  DeleteWebhookDocument,
  RotateWebhookSecretDocument,
  UpdateWebhookDocument,
  WebhookDocument,
  type WebhookQuery,
} from './webhooks.generated.ts';

type Webhook = NonNullable<WebhookQuery['webhook']>;

function Settings({ webhook }: { webhook: Webhook }) {
  const canWrite = useCan('webhooks:write');
  const { description, url, format, enabled, metadata } = webhook;
  const events: readonly string[] = webhook.events;
  const objectIds: readonly string[] = webhook.objectIds;
  return (
    <Panel title="Settings">
      <ObjectForm
        of={webhook}
        values={{ description, url, format, events, objectIds, enabled, metadata }}
        titles={{
          description: 'Description',
          url: 'URL',
          format: 'Format',
          events: 'Messages',
          objectIds: 'Objects',
          enabled: 'Enabled',
          metadata: 'Metadata',
        }}
        kinds={['Webhook']}
        document={UpdateWebhookDocument}
        changeOf={({ events: lines, objectIds: ids, ...others }) => ({
          ...others,
          ...(lines && { events: sentLines(lines) }),
          ...(ids && { objectIds: sentLines(ids) }),
        })}
        writtenOf={(answer) => answer.updateWebhook?.webhook}
        path={`/webhooks/${webhook.id}`}
        said="Webhook saved."
        canWrite={canWrite}
      >
        {({ draft, problem }) => (
          <>
            <DescriptionField draft={draft} problem={problem} canWrite={canWrite} />
            <TextField
              label="URL"
              value={draft.values.url}
              onChange={(value) => draft.set({ url: value })}
              error={errorOf(problem, 'url')}
              isDisabled={!canWrite}
              mono
            />
            <SelectField
              {...formatField}
              value={draft.values.format}
              onChange={(value) => draft.set({ format: value })}
              error={errorOf(problem, 'format')}
              isDisabled={!canWrite}
            />
            <LinesField
              label="Messages"
              value={draft.values.events}
              onChange={(value) => draft.set({ events: value })}
              hint={eventsHint}
              error={lineErrorOf(problem, 'events', draft.values.events)}
              isDisabled={!canWrite}
              mono
            />
            <LinesField
              label="Objects"
              value={draft.values.objectIds}
              onChange={(value) => draft.set({ objectIds: value })}
              hint="Identifiers of the objects to be told about, one on each line; none for all."
              error={lineErrorOf(problem, 'objectIds', draft.values.objectIds)}
              isDisabled={!canWrite}
              mono
            />
            <Switch
              label="Enabled"
              value={draft.values.enabled}
              onChange={(value) => draft.set({ enabled: value })}
              hint="What happens while it is disabled is not sent later."
              isDisabled={!canWrite}
            />
            <MetadataField draft={draft} problem={problem} canWrite={canWrite} />
          </>
        )}
      </ObjectForm>
    </Panel>
  );
}

function Secret({ webhook: { id, version, formerSecretUntil } }: { webhook: Webhook }) {
  const { run, running, problem } = useAction(RotateWebhookSecretDocument, ['Webhook']);
  const [secret, setSecret] = useState<string | null>(null);
  const input = { id, expectedVersion: version };
  return (
    <Panel
      title="Secret"
      description="Receivers verify messages with it. After a rotation, the former one signs as well for a day."
    >
      {formerSecretUntil !== null && (
        <Notice tone="caution" title="Both secrets sign.">
          The former one signs until <Time value={formerSecretUntil} />.
        </Notice>
      )}
      <div className="row">
        <Button
          isPending={running}
          onPress={async () => setSecret((await run({ input }))?.rotateWebhookSecret?.webhook.secret ?? null)}
        >
          Make a new secret
        </Button>
        <Call document={RotateWebhookSecretDocument} variables={{ input }} />
      </div>
      {problem && <ProblemNotice problem={problem} />}
      {secret !== null && <NewSecret secret={secret} close={() => setSecret(null)} />}
    </Panel>
  );
}

function Shown({ webhook }: { webhook: Webhook }) {
  const canWrite = useCan('webhooks:write');
  return (
    <Page
      title={nameOf(webhook)}
      crumbs={[{ title: 'Webhooks', href: '/webhooks' }]}
      description={<LastChange of={webhook} />}
      actions={
        canWrite && (
          <FinalDeletion
            label="Delete"
            of={webhook}
            kind="Webhook"
            document={DeleteWebhookDocument}
            input={(expectedVersion) => ({ id: webhook.id, expectedVersion })}
            path={`/webhooks/${webhook.id}`}
            deed="deletes"
            said="Webhook deleted."
            next="/webhooks"
            question={{ title: 'Delete this webhook?', action: 'Delete webhook' }}
          >
            <p>Its URL receives nothing any more, nor what waits. Its secret goes with it: this cannot be undone.</p>
          </FinalDeletion>
        )
      }
    >
      <p>
        <Standing {...webhook} />
      </p>
      <Settings webhook={webhook} />
      <Deliveries id={webhook.id} canWrite={canWrite} enabled={webhook.enabled} />
      {canWrite && <Secret webhook={webhook} />}
      <History objectId={webhook.id} kind="Webhook" canWrite={canWrite} />
    </Page>
  );
}

export default function WebhookPage({ id }: { id: string }) {
  const reading = useData(WebhookDocument, { id }, ['Webhook']);
  return <Loaded reading={reading}>{({ webhook }) => webhook && <Shown webhook={webhook} />}</Loaded>;
}
