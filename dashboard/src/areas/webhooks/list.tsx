// The webhooks.

import { useState } from 'react';
import { useAction } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import type { WebhookFormat } from '../../client/types.generated.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { useCreation } from '../../kit/create.tsx';
import { Dialog, DialogActions } from '../../kit/dialog.tsx';
import { LinesField, SelectField, sentLines, TextField } from '../../kit/fields.tsx';
import { beyond, errorOf, lineErrorOf } from '../../kit/form.tsx';
import { ListPage, timeColumn } from '../../kit/list.tsx';
import { ProblemNotice } from '../../kit/notice.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import { Time } from '../../kit/time.tsx';
import { NewSecret } from './secret.tsx';
import { CreateWebhookDocument, WebhooksDocument } from './webhooks.generated.ts';

/** What the field of types says. */
export const eventsHint =
  'One on each line: * for all, what it is about as in ip_policy.*, or what happened as in ip_policy.update, request.refuse or attention.begin.';

/** What the field of formats says, and what it offers. */
export const formatField = {
  label: 'Format',
  hint: 'What the server at the URL takes. Mail is always text.',
  options: [
    { value: 'standard', title: 'JSON for programs' },
    { value: 'slack', title: 'Slack' },
    { value: 'teams', title: 'Microsoft Teams' },
    { value: 'ntfy', title: 'ntfy' },
  ],
} as const;

function NewWebhook({ close }: { close: () => void }) {
  const [description, setDescription] = useState('');
  const [url, setUrl] = useState('');
  const [format, setFormat] = useState<WebhookFormat>('standard');
  const [events, setEvents] = useState<readonly string[]>(['attention.*']);
  const [secret, setSecret] = useState<string | null>(null);
  const { run, running, problem } = useAction(CreateWebhookDocument, ['Webhook']);
  if (secret !== null) return <NewSecret secret={secret} close={close} />;
  const input = { description, url: url.trim(), format, events: sentLines(events) };
  return (
    <Dialog title="New webhook" close={close} wide>
      <form
        className="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          const made = (await run({ input }))?.createWebhook?.webhook.secret;
          if (made != null) setSecret(made);
        }}
      >
        <TextField
          label="Description"
          value={description}
          onChange={setDescription}
          hint="What people call it, such as “Chat of operations”."
          error={errorOf(problem, 'description')}
          autoFocus
        />
        <TextField
          label="URL"
          value={url}
          onChange={setUrl}
          placeholder="https://app.example.com/hook"
          hint="Of a server, or a mailbox as in mailto:alerts@example.com."
          error={errorOf(problem, 'url')}
          mono
        />
        <SelectField {...formatField} value={format} onChange={setFormat} error={errorOf(problem, 'format')} />
        <LinesField
          label="Messages"
          value={events}
          onChange={setEvents}
          hint={eventsHint}
          error={lineErrorOf(problem, 'events', events)}
          mono
        />
        <ProblemNotice problem={beyond(problem, ['description', 'url', 'format', 'events'])} />
        <DialogActions>
          <Button onPress={close}>Cancel</Button>
          <Button type="submit" look="primary" isPending={running}>
            Create
          </Button>
        </DialogActions>
        <Call
          rest={{ method: 'POST', path: '/webhooks', body: input }}
          document={CreateWebhookDocument}
          variables={{ input }}
        />
      </form>
    </Dialog>
  );
}

/** How the receiver of a webhook answers. */
export function Standing({
  enabled,
  failingSince,
  deliveredAt,
}: {
  enabled: boolean;
  failingSince: string | null;
  deliveredAt: string | null;
}) {
  if (!enabled) return <Badge tone="caution">disabled</Badge>;
  if (failingSince !== null) {
    return (
      <span className="row">
        <Badge tone="bad">fails</Badge> since <Time value={failingSince} />
      </span>
    );
  }
  if (deliveredAt === null) return <span className="muted">nothing sent yet</span>;
  return (
    <span>
      delivered <Time value={deliveredAt} />
    </span>
  );
}

export default function Webhooks() {
  const question = useQuestion(listOrders);
  const pages = usePages(WebhooksDocument, question.variables, (data) => data.webhooks, ['Webhook']);
  const creation = useCreation('webhooks:write', 'New webhook', (close) => <NewWebhook close={close} />);
  return (
    <ListPage
      title="Webhooks"
      description="Who is told what happens in this account: URLs that receive signed messages."
      creation={creation}
      question={question}
      searched="description, metadata, id or URL"
      pages={pages}
      hrefOf={(webhook) => `/webhooks/${webhook.id}`}
      columns={[
        { title: 'Webhook', cell: (webhook) => nameOf(webhook) },
        { title: 'URL', wide: true, cell: ({ url }) => <span className="mono">{url}</span> },
        { title: 'State', cell: (webhook) => <Standing {...webhook} /> },
        timeColumn(question),
      ]}
      empty={{
        title: 'No webhooks yet',
        text: 'A webhook sends a signed message to a URL of yours whenever something changes, is refused, or needs attention.',
      }}
    />
  );
}
