// Webhooks in GraphQL.

import { invalid, SallyportError } from '../../domain/errors.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { urlCharactersMax } from '../../domain/values/outgoing-url.ts';
import { lastMs } from '../../domain/values/time.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { choiceOf, textsOf } from '../../graphql/kit/column-fields.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import { createMutation, deleteMutation, stepMutation, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { type InputBuilder, node } from '../../graphql/kit/resource.ts';
import { searchable, searchedText } from '../../graphql/kit/search-query.ts';
import { noCursor } from '../../graphql/lists/list-order.ts';
import { pageSizeOf } from '../../graphql/lists/page.ts';
import { needs, refusalOf } from '../../graphql/wrappers/rights.ts';
import { countCost, innerListCost, innerListSizeDefault, pageSizeMax } from '../../load/limits.ts';
import { type WebhookFormat, webhookFormats } from './formats.ts';
import { type DeliveryState, deliveryStates, eventsMax, objectIdsMax, overlapSeconds, webhooksMax } from './rules.ts';
import {
  countDeliveries,
  createWebhook,
  type Delivery,
  type DeliveryPosition,
  latestDeliveries,
  pingWebhook,
  resendWebhookDeliveries,
  resentMax,
  rotateWebhookSecret,
  updateWebhook,
  webhooks,
} from './store.ts';

const WebhookDeliveryState = enumOf<DeliveryState>(
  'WebhookDeliveryState',
  'What has become of a message of a webhook.',
  {
    waiting: 'It waits for its next attempt, or for others of its object.',
    delivered: 'The receiver has accepted it.',
    set_aside: 'It has failed for a day, and is not tried again by itself.',
  },
);

const WebhookFormatType = enumOf<WebhookFormat>('WebhookFormat', 'How the messages of a webhook look.', {
  standard: 'JSON for programs, as Standard Webhooks says.',
  slack: 'A sentence in a channel of Slack, or of what takes the same.',
  teams: 'A card in a channel of Microsoft Teams.',
  ntfy: 'A sentence of a topic of ntfy, which is the end of the URL.',
});

const WebhookDelivery = builder.objectRef<Delivery>('WebhookDelivery').implement({
  description: 'A message of a webhook that waits, was set aside, or was delivered lately.',
  fields: (t) => ({
    cursor: t.id({
      description: 'Opaque position of the message in the list, for `after`.',
      resolve: ({ since, messageId }) => `${messageId}.${since.getTime()}`,
    }),
    messageId: t.exposeID('messageId', {
      description:
        'The `webhook-id` of every attempt: the identifier of the event of the trail, or one of its own (`msg_...`).',
    }),
    type: t.exposeString('type', { description: 'The type of the message, such as `ip_policy.update`.' }),
    objectId: t.exposeID('objectId', {
      description: 'The object that the message is about. Messages about an object are sent in order.',
    }),
    state: t.field(choiceOf('state', WebhookDeliveryState, deliveryStates, 'What has become of it.')),
    attempts: t.exposeInt('attempts', { description: 'How often it was sent.' }),
    triedAt: t.expose('triedAt', { type: 'DateTime', nullable: true, description: 'When it was last sent.' }),
    nextAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it is sent next, unless the receiver is paused longer; null if it does not wait.',
      resolve: ({ state, nextAt }) => (state === 'waiting' ? nextAt : null),
    }),
    status: t.exposeInt('status', {
      nullable: true,
      description: 'The HTTP status of the last answer; null without one.',
    }),
    answer: t.exposeString('answer', { description: 'The beginning of the last answer.' }),
    failure: t.exposeString('failure', {
      nullable: true,
      description: 'Why the last attempt failed; null if it did not.',
    }),
  }),
});

export const Webhook = builder.prismaNode('Webhook', {
  ...node,
  fields: (t) => ({
    url: t.exposeString('url'),
    format: t.field(
      choiceOf(
        'format',
        WebhookFormatType,
        webhookFormats,
        'How the messages look. Mail, to a `mailto:` URL, is always text.',
      ),
    ),
    events: t.stringList(
      textsOf('events', 'The types of messages that it receives, such as `ip_policy.update`, `ip_policy.*` or `*`.'),
    ),
    objectIds: t.idList({
      description: 'The objects that it receives messages about; empty for all.',
      resolve: ({ objectIds }) => readTextList(objectIds),
    }),
    enabled: t.exposeBoolean('enabled'),
    formerSecretUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Until when the secret before the last rotation signs as well; null if it does not.',
      resolve: ({ formerSecretUntil: until }, _args, { scope }) =>
        until !== null && until > scope.now() ? until : null,
    }),
    deliveredAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When its receiver last accepted a message; null if never.',
      select: { lane: true },
      resolve: ({ lane }) => lane?.deliveredAt ?? null,
    }),
    failingSince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when every attempt has failed; null if the last one did not.',
      select: { lane: true },
      resolve: ({ lane }) => lane?.failingSince ?? null,
    }),
    deliveries: t.field({
      type: [WebhookDelivery],
      description:
        'The latest messages, newest first: those that wait or were set aside, and some of those that were delivered. What is not ' +
        'sent yet and has not failed is not among them.',
      args: {
        first: t.arg.int({
          description: `How many to return; 1 to ${pageSizeMax}, defaults to ${innerListSizeDefault}.`,
        }),
        after: t.arg.id({ description: 'Only those after this cursor.' }),
        state: t.arg({ type: WebhookDeliveryState, description: 'Only those in this state.' }),
      },
      complexity: ({ first }) => ({ field: innerListCost, multiplier: first ?? innerListSizeDefault }),
      resolve: async ({ id }, { first, after, state }, { scope, budget }) => {
        const most = pageSizeOf('first', first) ?? innerListSizeDefault;
        budget.charge(most);
        return latestDeliveries(scope, id, { state: state ?? null, after: positionOf(after), most });
      },
    }),
    deliveryCount: t.int({
      description: 'How many messages `deliveries` has, across all pages.',
      args: { state: t.arg({ type: WebhookDeliveryState, description: 'Only those in this state.' }) },
      complexity: countCost,
      resolve: ({ id }, { state }, { scope }) => countDeliveries(scope, id, state ?? null),
    }),
    secret: t.string({
      nullable: true,
      extensions: { shownOnce: true },
      description:
        'The secret that signs the messages (`whsec_...`). Shown only in the response that makes it; null in all others.',
      resolve: (row) => ('secret' in row && typeof row.secret === 'string' ? row.secret : null),
    }),
  }),
});

/** Reads the cursor of a delivery. Throws INVALID_INPUT. */
function positionOf(cursor: string | null | undefined): DeliveryPosition | null {
  if (cursor == null) return null;
  const [, messageId, ms] = /^(\w{1,64})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (messageId === undefined || Number(ms) > lastMs) throw noCursor('after');
  return { messageId, since: new Date(Number(ms)) };
}

searchable('Webhook', searchedText('url'));

resourceQueries('Webhook', Webhook, webhooks, {
  one: { name: 'webhook', noun: 'webhook' },
  list: { name: 'webhooks', description: 'The webhooks of the account, newest first.' },
});

/**
 * Throws FORBIDDEN for a key that may not read the trail: messages tell all that is in it, so who says where they go must be allowed to
 * know it.
 */
function demandTrail(context: Context): void {
  const refusal = refusalOf(context, needs('audit-events:read'));
  if (refusal instanceof SallyportError) throw refusal;
}

/** Throws INVALID_INPUT for an address of mail if the server sends none. */
function demandMail({ outgoing }: Context, url: string | null | undefined): void {
  if (outgoing.mailer !== null || !/^mailto:/i.test(url ?? '')) return;
  throw invalid(
    'url',
    'must begin with http:// or https://: this server sends no mail until its operator sets a mail server up.',
  );
}

function wishInput(t: InputBuilder) {
  return {
    format: t.field({
      type: WebhookFormatType,
      description: 'How the messages look to the server at the URL. Defaults to `standard`; mail is always text.',
      extensions: { configured: { default: 'standard' } },
    }),
    events: t.stringList({
      description:
        'The types of messages to receive: `*` for all, what they are about as in `ip_policy.*`, or also what happened as in ' +
        '`ip_policy.update`, `request.refuse` or `attention.begin`. Defaults to all, and for mail and chats to `attention.*`.',
      extensions: { jsonSchema: { minItems: 1, maxItems: eventsMax } },
    }),
    objectIds: t.idList({
      description: 'Only messages about these objects; empty for all, which is the default.',
      extensions: { jsonSchema: { maxItems: objectIdsMax }, configured: { default: [] } },
    }),
    enabled: t.boolean({
      description: 'Whether to send messages. What happens while it is disabled is not sent later. Defaults to true.',
      extensions: { configured: { default: true } },
    }),
  };
}

function urlInput(t: InputBuilder, required: boolean) {
  return t.string({
    required,
    description:
      'The http or https URL to send messages to, without a user name and password; or one address after `mailto:`, which gets a mail at ' +
      'most every minute.',
    extensions: { jsonSchema: { minLength: 1, maxLength: urlCharactersMax } },
  });
}

createMutation('createWebhook', Webhook, {
  description:
    `Creates a webhook, at most ${webhooksMax}: from now on, its URL receives signed messages about what happens. Only this response ` +
    'shows its secret. The key needs `audit-events:read`, too.',
  input: (t) => ({ url: urlInput(t, true), ...wishInput(t) }),
  async resolve({ url, ...input }, context) {
    demandTrail(context);
    demandMail(context, url);
    return createWebhook(context.scope, { ...input, url: url ?? '' });
  },
});

updateMutation('updateWebhook', Webhook, {
  description: 'Updates a webhook. The key needs `audit-events:read`, too.',
  input: (t) => ({ url: urlInput(t, false), ...wishInput(t) }),
  async resolve(input, context) {
    demandTrail(context);
    demandMail(context, input.url);
    return updateWebhook(context.scope, input);
  },
});

deleteMutation('deleteWebhook', {
  description: 'Deletes a webhook, with all messages that wait.',
  resolve: ({ id, expectedVersion }, { scope }) => webhooks.remove(scope, id, expectedVersion),
});

stepMutation('rotateWebhookSecret', Webhook, {
  description:
    'Gives a webhook a new secret, which only this response shows. For a while, messages are signed by the former one as well, so ' +
    'that its receiver can be changed in between. The key needs `audit-events:read`, too.',
  input: (t) => ({
    overlapSeconds: t.int({
      description: `For how many seconds the former secret signs as well; 0 to ${overlapSeconds.max}, defaults to ${overlapSeconds.default}.`,
    }),
  }),
  result: 'The webhook with its new secret.',
  async resolve({ id, expectedVersion, overlapSeconds: overlap }, context) {
    demandTrail(context);
    return rotateWebhookSecret(context.scope, id, expectedVersion, overlap ?? undefined);
  },
});

stepMutation('pingWebhook', Webhook, {
  description:
    'Sends a message of the type `ping` to the receiver of a webhook, behind those that wait. OUT_OF_ORDER if it is disabled.',
  result: 'The webhook; its deliveries show what comes of the message.',
  resolve: ({ id, expectedVersion }, { scope }) => pingWebhook(scope, id, expectedVersion),
});

stepMutation('resendWebhookDeliveries', Webhook, {
  description: `Sends messages of a webhook again, with the same \`webhook-id\`: at most ${resentMax} at once. OUT_OF_ORDER if it is disabled.`,
  input: (t) => ({
    messageIds: t.idList({
      description: 'The messages, whatever became of them; by default, those that were set aside.',
      extensions: { jsonSchema: { minItems: 1, maxItems: resentMax } },
    }),
  }),
  result: 'The webhook; its deliveries show what comes of the messages.',
  resolve: ({ id, expectedVersion, messageIds }, { scope }) =>
    resendWebhookDeliveries(scope, id, expectedVersion, messageIds ?? null),
});
