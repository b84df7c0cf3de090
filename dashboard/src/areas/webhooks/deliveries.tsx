// The messages of a webhook that wait, were set aside, or were delivered lately.

import { useState } from 'react';
import { useClock } from '../../client/clock.ts';
import { useAction } from '../../client/data.ts';
import { usePages } from '../../client/pages.ts';
import type { WebhookDeliveryState } from '../../client/types.generated.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Export } from '../../kit/export.tsx';
import { Filter } from '../../kit/filter.tsx';
import list from '../../kit/list.module.css';
import { Empty, ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { PagedTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';
import {
  PingWebhookDocument,
  ResendWebhookDeliveriesDocument,
  WebhookDeliveriesDocument,
  type WebhookDeliveriesQuery,
} from './webhooks.generated.ts';
import styles from './webhooks.module.css';

type Delivery = NonNullable<WebhookDeliveriesQuery['webhook']>['deliveries'][number];

/** Pseudo-kind for reading again: what becomes of messages is no event. */
const clock = 'Deliveries';
/** Milliseconds between two looks, while a message on the page waits, and otherwise. */
const waitingMs = 2_000;
const lookMs = 20_000;

/** Pages have this many messages, or a multiple. */
const pageSize = 50;

/** Returns the messages of an answer as a page: a full one may be followed by another. */
function pageIn({ webhook }: WebhookDeliveriesQuery) {
  if (webhook === null) return null;
  const { deliveries: nodes, deliveryCount: totalCount } = webhook;
  const hasNextPage = nodes.length > 0 && nodes.length % pageSize === 0 && nodes.length < totalCount;
  return { nodes, totalCount, pageInfo: { hasNextPage, endCursor: nodes.at(-1)?.cursor ?? null } };
}

const titles: Readonly<Record<WebhookDeliveryState, string>> = {
  waiting: 'waits',
  delivered: 'delivered',
  set_aside: 'set aside',
};
const tones = { waiting: 'caution', delivered: 'good', set_aside: 'bad' } as const;

type Shown = WebhookDeliveryState | 'all';
const choices: readonly { value: Shown; title: string }[] = [
  { value: 'all', title: 'All messages' },
  { value: 'waiting', title: 'Those that wait' },
  { value: 'set_aside', title: 'Those set aside' },
  { value: 'delivered', title: 'Those delivered' },
];

function Outcome({ delivery: { state, attempts, status, failure, answer, nextAt } }: { delivery: Delivery }) {
  return (
    <span className={styles.message}>
      <span className="row">
        <Badge tone={tones[state]}>{titles[state]}</Badge>
        {attempts > 0 && <span className="muted">{count(attempts, 'attempt')}</span>}
        {status !== null && <span className="muted">status {status}</span>}
      </span>
      {failure !== null && <span>{failure}</span>}
      {answer !== '' && <code>{answer}</code>}
      {nextAt !== null && (
        <span className="muted">
          next attempt <Time value={nextAt} />
        </span>
      )}
    </span>
  );
}

/** The panel with the deliveries of a webhook, and what can be sent. */
export default function Deliveries({ id, canWrite, enabled }: { id: string; canWrite: boolean; enabled: boolean }) {
  const [shown, setShown] = useState<Shown>('all');
  const state = shown === 'all' ? null : shown;
  const pages = usePages(WebhookDeliveriesDocument, { id, state }, pageIn, ['Webhook', clock]);
  useClock(clock, pages.nodes?.some((delivery) => delivery.state === 'waiting') ? waitingMs : lookMs);
  const ping = useAction(PingWebhookDocument, ['Webhook']);
  const resend = useAction(ResendWebhookDeliveriesDocument, ['Webhook']);
  const problem = ping.problem ?? resend.problem;
  const maySend = canWrite && enabled;
  return (
    <Panel
      title="Messages"
      description="Those that wait or were set aside, and the latest that were delivered. A message that fails is tried again for a day."
      flush
    >
      <div className={`row ${list.part}`}>
        <Filter label="Show" value={shown} onChange={setShown} options={choices} />
        {maySend && (
          <Button isPending={ping.running} onPress={() => void ping.run({ input: { id } })}>
            Send a ping
          </Button>
        )}
        {maySend && (
          <Button isPending={resend.running} onPress={() => void resend.run({ input: { id } })}>
            Send again what was set aside
          </Button>
        )}
        <Export label="Messages" of={pages} />
      </div>
      {problem && <ProblemNotice problem={problem} />}
      <PagedTable
        label="Messages"
        pages={pages}
        keyOf={({ id: messageId }) => messageId}
        empty={<Empty title="No messages">What was not sent yet, and has not failed, is not shown.</Empty>}
        columns={[
          {
            title: 'Message',
            cell: ({ type, id: messageId }) => (
              <span className={styles.message}>
                <span className="mono">{type}</span>
                <span className="muted mono">{messageId}</span>
              </span>
            ),
          },
          { title: 'Outcome', cell: (delivery) => <Outcome delivery={delivery} /> },
          { title: 'Last sent', wide: true, cell: ({ triedAt }) => <Time value={triedAt} /> },
          {
            title: 'Send again',
            isTitleHidden: true,
            align: 'end',
            cell: ({ id: messageId, state: its }) =>
              maySend && its !== 'waiting' ? (
                <Button
                  label={`Send again: ${messageId}`}
                  onPress={() => void resend.run({ input: { id, messageIds: [messageId] } })}
                >
                  Send again
                </Button>
              ) : null,
          },
        ]}
      />
      {maySend && (
        <>
          <Call document={PingWebhookDocument} variables={{ input: { id } }} />
          <Call document={ResendWebhookDeliveriesDocument} variables={{ input: { id } }} />
        </>
      )}
    </Panel>
  );
}
