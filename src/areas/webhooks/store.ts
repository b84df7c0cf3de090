// Webhooks in the database.

import { invalid, SallyportError } from '../../domain/errors.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import { ownerOf } from '../../storage/keys/secrets.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import type { ExpectedVersion, Row } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { records } from '../../storage/objects/records.ts';
import { writeSeen } from '../../storage/trail/seen.ts';
import { mailAddress, type WebhookFormat } from './formats.ts';
import {
  checkEvents,
  checkObjectIds,
  checkUrl,
  type DeliveryState,
  envelope,
  formatSecret,
  overlapSeconds,
  secretBytes,
  webhooksMax,
} from './rules.ts';
import { deliveryOf } from './waking-store.ts';

export const webhooks = collectionOf('Webhook');
const lanes = records('WebhookLane', 'webhookId');
const deliveries = records('WebhookDelivery', 'messageId');

/** A webhook as it is stored. */
export type Webhook = Row<'Webhook'>;
/** A delivery as it is stored. */
export type Delivery = Row<'WebhookDelivery'>;
/** Where a delivery is in the list of a webhook. */
export type DeliveryPosition = Pick<Delivery, 'since' | 'messageId'>;
/** A webhook with a new secret, which cannot be read again. */
export type WebhookWithSecret = Webhook & { readonly secret: string };

/** What a webhook receives, and where. */
export interface WebhookInput extends Notes {
  readonly url?: string | null | undefined;
  readonly format?: WebhookFormat | null | undefined;
  readonly events?: readonly string[] | null | undefined;
  readonly objectIds?: readonly string[] | null | undefined;
  readonly enabled?: boolean | null | undefined;
}

/** A change of a webhook; what is null or left out stays as it is. */
export interface WebhookChange extends WebhookInput {
  readonly id: string;
  readonly expectedVersion?: ExpectedVersion;
}

/**
 * Creates a webhook with a new secret. It receives what happens from now on.
 *
 * @throws INVALID_INPUT for a URL, types or objects that cannot be, and for more webhooks than an account may have
 */
export async function createWebhook(
  scope: AccountScope,
  { url, format, events, objectIds, enabled, ...notes }: WebhookInput & { readonly url: string },
): Promise<WebhookWithSecret> {
  const address = checkUrl(url);
  const isForPeople = mailAddress(address) !== null || (format ?? 'standard') !== 'standard';
  const usual = isForPeople ? ['attention.*'] : ['*'];
  const wish = { events: checkEvents(events ?? usual), objectIds: checkObjectIds(objectIds ?? []) };
  const checked = {
    url: address,
    format: format ?? 'standard',
    ...wish,
    enabled: enabled ?? true,
    ...notesForCreate(notes),
  };
  if ((await scope.db.webhook.count()) >= webhooksMax) {
    throw invalid('url', `cannot be added: the account has ${webhooksMax} webhooks, the maximum. Delete one first.`);
  }
  // Before the creation, so that nothing that is stored after it is missed.
  const start = await presentPosition(scope);
  const object = webhooks.newObject(scope);
  const { secret, sealedSecret } = newSecret(scope, object.id);
  const lane = { webhookId: object.id, ...start, leaseUntil: new Date(0) };
  const made = await webhooks.create(
    scope,
    { ...checked, sealedSecret },
    { object, following: [lanes.prepareCreate(scope, lane)], remembered: { secret }, acknowledged: waking(scope) },
  );
  return { ...made, secret };
}

/**
 * Changes a webhook. One that is enabled again receives what happens from then on, and what waited before.
 *
 * @throws NOT_FOUND, VERSION_CONFLICT, and INVALID_INPUT as `createWebhook`
 */
export async function updateWebhook(
  scope: AccountScope,
  { id, expectedVersion, url, format, events, objectIds, enabled, ...notes }: WebhookChange,
): Promise<Webhook> {
  const changes = {
    ...(url == null ? {} : { url: checkUrl(url) }),
    ...(format == null ? {} : { format }),
    ...(events == null ? {} : { events: checkEvents(events) }),
    ...(objectIds == null ? {} : { objectIds: checkObjectIds(objectIds) }),
    ...(enabled == null ? {} : { enabled }),
    ...notesForUpdate(notes),
  };
  const following = enabled === true ? await prepareFreshStart(scope, id) : [];
  return webhooks.update(scope, id, changes, expectedVersion ?? null, { following, acknowledged: waking(scope) });
}

/** Prepares to begin anew at the end of the trail, for a webhook that is not enabled. */
async function prepareFreshStart(scope: AccountScope, id: string) {
  const { enabled } = await webhooks.get(scope, id);
  if (enabled) return [];
  const start = await presentPosition(scope);
  const lane = await scope.db.webhookLane.findFirst({ where: { webhookId: id }, select: { leaseNumber: true } });
  // A server that still has messages of before under way must not put its position in place of this one.
  const lease = { leaseNumber: (lane?.leaseNumber ?? 0) + 1, leaseUntil: new Date(0) };
  const begin = { ...start, failures: 0, failingSince: null, pausedUntil: null, ...lease };
  return [lanes.prepareUpdate(scope, { webhookId: id }, begin)];
}

/** Returns where a lane begins that gets what is stored from now on. */
async function presentPosition(scope: AccountScope) {
  const { cursor, seen } = await scope.trailEnd();
  return { commitOrder: cursor.order, eventId: cursor.id, seen: seen === null ? null : writeSeen(seen) };
}

/** Disables a webhook whose receiver says that it is gone. */
export async function disableWebhook(scope: AccountScope, id: string): Promise<void> {
  try {
    await webhooks.update(scope, id, { enabled: false }, null, { acknowledged: waking(scope) });
  } catch (error) {
    // Deleted meanwhile.
    if (!(error instanceof SallyportError && error.code === 'NOT_FOUND')) throw error;
  }
}

/**
 * Gives a webhook a new secret. The former one signs as well for some seconds; one before that does no more.
 *
 * @throws NOT_FOUND, VERSION_CONFLICT, and INVALID_INPUT for an overlap that is too long
 */
export async function rotateWebhookSecret(
  scope: AccountScope,
  id: string,
  expectedVersion: ExpectedVersion,
  overlap: number = overlapSeconds.default,
): Promise<WebhookWithSecret> {
  if (overlap < 0 || overlap > overlapSeconds.max) {
    throw invalid('overlapSeconds', `must be 0 to ${overlapSeconds.max}.`);
  }
  const { sealedSecret: former, version } = await webhooks.get(scope, id);
  const { secret, sealedSecret } = newSecret(scope, id);
  const formerSecretUntil = overlap === 0 ? null : new Date(scope.now().getTime() + overlap * 1000);
  const secrets = { sealedSecret, sealedFormerSecret: overlap === 0 ? null : former, formerSecretUntil };
  // By the version that was read: of two rotations at once, one must not keep a secret that nobody has seen.
  const rotated = await webhooks.update(scope, id, secrets, expectedVersion ?? version, {
    remembered: { secret },
    acknowledged: waking(scope),
  });
  return { ...rotated, secret };
}

/** Sends a message of the type `ping`, whatever the webhook receives. Throws NOT_FOUND, VERSION_CONFLICT, OUT_OF_ORDER if disabled. */
export async function pingWebhook(scope: AccountScope, id: string, expectedVersion: ExpectedVersion): Promise<Webhook> {
  const { enabled } = await webhooks.get(scope, id);
  if (!enabled) throw disabled();
  const now = scope.now();
  const messageId = `msg_${Buffer.from(scope.randomBytes(16)).toString('hex')}`;
  const body = envelope('ping', now, JSON.stringify({ account_id: scope.accountId, webhook_id: id }));
  const row = { webhookId: id, messageId, type: 'ping', objectId: messageId, place: 0n, body };
  const ping = deliveries.prepareCreate(scope, { ...row, state: 'waiting', since: now, nextAt: now });
  return askAgain(scope, id, expectedVersion, [ping]);
}

/**
 * Sends messages again: those that are named, whatever became of them, or all that were set aside.
 *
 * @throws NOT_FOUND, VERSION_CONFLICT, INVALID_INPUT for a message that is not kept, OUT_OF_ORDER for a webhook that is disabled
 */
export async function resendWebhookDeliveries(
  scope: AccountScope,
  id: string,
  expectedVersion: ExpectedVersion,
  messageIds: readonly string[] | null,
): Promise<Webhook> {
  const { enabled } = await webhooks.get(scope, id);
  if (!enabled) throw disabled();
  if (messageIds?.length === 0)
    throw invalid('messageIds', 'must name a message, or be left out for all that were set aside.');
  const which = messageIds === null ? { state: 'set_aside' } : { messageId: { in: [...new Set(messageIds)] } };
  const found = await scope.db.webhookDelivery.findMany({
    where: { webhookId: id, ...which },
    select: { messageId: true },
    take: resentMax,
  });
  const known = new Set(found.map(({ messageId }) => messageId));
  const index = messageIds?.findIndex((messageId) => !known.has(messageId)) ?? -1;
  if (index >= 0) throw invalid(`messageIds[${index}]`, 'is no message of this webhook that is kept.');
  const now = scope.now();
  const again = { state: 'waiting', attempts: 0, since: now, nextAt: now };
  const writes = found.map(({ messageId }) => deliveries.prepareUpdate(scope, { webhookId: id, messageId }, again));
  return askAgain(scope, id, expectedVersion, writes);
}

/** Most messages that are sent again by one request. */
export const resentMax = 100;

/** Notes in the trail that somebody asked for messages. */
function askAgain(
  scope: AccountScope,
  id: string,
  expectedVersion: ExpectedVersion,
  following: readonly ReturnType<typeof deliveries.prepareCreate>[],
): Promise<Webhook> {
  const asked = { askedAt: scope.now() };
  return webhooks.update(scope, id, asked, expectedVersion, { following, acknowledged: waking(scope) });
}

/** Which deliveries of a webhook: of all states if none is named. */
const ofState = (webhookId: string, state: DeliveryState | null) => ({
  webhookId,
  ...(state === null ? {} : { state }),
});

/** Reads the latest deliveries of a webhook, newest first; those after a position. */
export function latestDeliveries(
  { db }: AccountView,
  webhookId: string,
  {
    state,
    after,
    most,
  }: { readonly state: DeliveryState | null; readonly after: DeliveryPosition | null; readonly most: number },
): Promise<Delivery[]> {
  return db.webhookDelivery.findMany({
    where: { ...ofState(webhookId, state), ...(after !== null && isAfter(after)) },
    orderBy: [{ since: 'desc' }, { messageId: 'desc' }],
    take: most,
  });
}

function isAfter({ since, messageId }: DeliveryPosition) {
  return { OR: [{ since: { lt: since } }, { since, messageId: { lt: messageId } }] };
}

/** Counts the deliveries of a webhook. */
export function countDeliveries({ db }: AccountView, webhookId: string, state: DeliveryState | null): Promise<number> {
  return db.webhookDelivery.count({ where: ofState(webhookId, state) });
}

function disabled(): SallyportError {
  return new SallyportError('OUT_OF_ORDER', 'The webhook is disabled. Enable it first.');
}

function newSecret(scope: AccountScope, id: string) {
  const bytes = scope.randomBytes(secretBytes);
  return { secret: formatSecret(bytes), sealedSecret: scope.secrets.seal(bytes, ownerOf('Webhook', id)) };
}

function waking(scope: AccountScope): () => void {
  return () => deliveryOf(scope).wake();
}
