// The rules of webhooks: which messages there are and who wants them, how they are signed, and when they are tried again. Pure.
// Messages are signed as the Standard Webhooks specification says
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).

import { createHmac } from 'node:crypto';
import { invalid } from '../../domain/errors.ts';
import { kindOfId, kinds } from '../../domain/values/ids.ts';
import { nearestName } from '../../domain/values/nearest.ts';
import { checkOutgoingUrl } from '../../domain/values/outgoing-url.ts';
import { snakeCase } from '../../domain/values/snake-case.ts';
import { dayMs } from '../../domain/values/time.ts';

/** Most webhooks of an account. */
export const webhooksMax = 20;
/** Most types and objects that a webhook names. */
export const eventsMax = 100;
export const objectIdsMax = 100;
/** Most seconds for which the former secret signs after a rotation, and how many it does unless said otherwise. */
export const overlapSeconds = { default: 86_400, max: 604_800 } as const;
/** Bytes of a secret; the specification allows 24 to 64. */
export const secretBytes = 32;
/** Most messages of a webhook that wait because their own attempts failed. Nothing further is read from the trail until fewer do. */
export const waitingMax = 1_000;
/** How many of the messages that were delivered, and that were set aside, are kept at least. */
export const deliveredKept = 100;
export const setAsideKept = 1_000;
/** Characters of an answer that are kept. */
export const answerCharacters = 500;

/** Milliseconds of failures after which a webhook needs attention. */
export const failingMs = 600_000;

/** What a delivery may be. */
export const deliveryStates = ['waiting', 'delivered', 'set_aside'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** What happens to objects of a kind, and to what is no object. */
const actionsOfKind = ['create', 'update', 'delete'];
const actionsOfOthers: Readonly<Record<string, readonly string[]>> = {
  request: ['refuse'],
  attention: ['begin', 'end', 'digest'],
};

/** The first parts of types by kind: every webhook asks for that of each event. */
const subjectOfKind = new Map<string, string>();

/** By name in types, the actions: of all kinds that the trail records, and of all else that messages tell of. */
const subjects: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.keys(kinds)
    .filter((kind) => kind !== 'AuditEvent' && kind !== 'Request')
    .map((kind) => [subjectOf(kind), actionsOfKind] as const),
  ...Object.entries(actionsOfOthers),
]);

/** Returns the first part of the types of messages about a kind: `ip_policy` for `IpPolicy`. */
function subjectOf(kind: string): string {
  const known = subjectOfKind.get(kind) ?? snakeCase(kind.charAt(0).toLowerCase() + kind.slice(1));
  subjectOfKind.set(kind, known);
  return known;
}

/** Returns the type of the message about an event of the trail: `ip_policy.update`. */
export function typeOf({ kind, action }: { readonly kind: string; readonly action: string }): string {
  return `${subjectOf(kind)}.${action}`;
}

/** Checks the types that a webhook receives, without duplicates. Throws INVALID_INPUT. */
export function checkEvents(given: readonly string[]): string[] {
  if (given.length < 1 || given.length > eventsMax) throw invalid('events', `must have 1 to ${eventsMax} entries.`);
  for (const [index, type] of given.entries()) {
    const problem = problemOfType(type);
    if (problem !== null) throw invalid(`events[${index}]`, problem);
  }
  return [...new Set(given)];
}

function problemOfType(type: string): string | null {
  if (type === '*') return null;
  const [subject = '', action = '', ...rest] = type.split('.');
  const actions = subjects.get(subject);
  if (actions === undefined) {
    const meant = nearestName(subject, [...subjects.keys()]);
    return (
      'must be "*", or what it is about and what happens to it, such as "ip_policy.update" or "ip_policy.*"; ' +
      (meant === null ? `it may be about ${[...subjects.keys()].join(', ')}.` : `did you mean "${meant}"?`)
    );
  }
  if (rest.length === 0 && (action === '*' || actions.includes(action))) return null;
  return `must end with ${[...actions, '*'].map((each) => `".${each}"`).join(', ')} after "${subject}".`;
}

/** Checks the objects that a webhook is limited to, without duplicates; they need not exist. Throws INVALID_INPUT. */
export function checkObjectIds(given: readonly string[]): string[] {
  if (given.length > objectIdsMax) throw invalid('objectIds', `must have at most ${objectIdsMax} entries.`);
  for (const [index, id] of given.entries()) {
    if (kindOfId(id) === null) throw invalid(`objectIds[${index}]`, 'must be the identifier of an object.');
  }
  return [...new Set(given)];
}

/** Checks a URL that messages are to be sent to: of a server, or the address of one person or list. Throws INVALID_INPUT. */
export function checkUrl(text: string): string {
  if (/^mailto:/i.test(text)) {
    const address = text.slice('mailto:'.length);
    // A single one, of characters that no header or list gives a meaning to.
    if (address.length <= 254 && /^[\w.!#$'*+/=^`{|}~-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(address))
      return `mailto:${address}`;
    throw invalid('url', 'must be one address after "mailto:", such as mailto:alerts@example.com, and nothing else.');
  }
  return checkOutgoingUrl('url', text).href;
}

/** Which messages a webhook wants. */
export interface Wish {
  readonly events: readonly string[];
  readonly objectIds: readonly string[];
}

/** Returns a function that tells whether a webhook wants a message about an object. */
export function wanting({ events, objectIds }: Wish): (type: string, objectId: string) => boolean {
  const types = new Set(events);
  const ids = new Set(objectIds);
  return (type, objectId) =>
    (ids.size === 0 || ids.has(objectId)) &&
    (types.has('*') || types.has(type) || types.has(`${type.slice(0, type.indexOf('.'))}.*`));
}

/** Formats a secret as the specification says. */
export function formatSecret(bytes: Uint8Array): string {
  return `whsec_${Buffer.from(bytes).toString('base64')}`;
}

/**
 * Returns the three headers of a message.
 *
 * @param secrets all that may verify it, as bytes: the current one, and the former one while both count
 * @param at the time of the attempt
 */
export function signedHeaders(id: string, body: string, secrets: readonly Uint8Array[], at: Date) {
  const seconds = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}

/** What is in a message about an event of the trail. */
export interface EventFacts {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: Date;
  readonly action: string;
  readonly kind: string;
  readonly objectId: string;
  readonly version: number;
  readonly actor: string;
  readonly actorDescription: string;
  readonly requestId: string | null;
  readonly surface: string;
  readonly clientAddress: string | null;
  /** JSON text. */
  readonly state: string;
}

/** Writes the message about an event of the trail. */
export function eventBody(event: EventFacts): string {
  const data = JSON.stringify({
    id: event.id,
    account_id: event.accountId,
    action: event.action,
    kind: event.kind,
    object_id: event.objectId,
    version: event.version,
    actor: event.actor,
    actor_description: event.actorDescription,
    request_id: event.requestId,
    surface: event.surface,
    client_address: event.clientAddress,
  });
  // The state is JSON text already. Parsed and written again, keys such as `__proto__` would be lost.
  return envelope(typeOf(event), event.createdAt, `${data.slice(0, -1)},"state":${event.state}}`);
}

/** Writes a message from its data, which is JSON text. */
export function envelope(type: string, at: Date, data: string): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${at.toISOString()}","data":${data}}`;
}

/** What came of an attempt. */
export interface Attempt {
  /** Null without an answer. */
  readonly status: number | null;
  /** The beginning of the answer. */
  readonly answer: string;
  /** Why it failed; null if the message was accepted. */
  readonly failure: string | null;
  /** Seconds after which the receiver wants to be asked again, if it said so. */
  readonly retryAfterSeconds: number | null;
}

/** Returns whether a failure concerns every message: the receiver is not there, or has too much to do. */
export function concernsAll({ status }: Pick<Attempt, 'status'>): boolean {
  return status === null || status === 408 || status === 410 || status === 429 || status >= 500;
}

/** Milliseconds after which what failed for a day is set aside. */
const triedMsMax = dayMs;
const longestPauseMs = 300_000;
const longestWaitMs = 3_600_000;

/** Returns whether a message whose attempt failed is not tried any more. */
export function isGivenUp(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() >= triedMsMax;
}

/** Returns the milliseconds until a message is tried again: 5 s after the first attempt, then four times as long, at most an hour. */
export function waitMsAfter(attempts: number): number {
  return Math.min(longestWaitMs, 5_000 * 4 ** Math.min(attempts - 1, 10));
}

/** Returns the milliseconds until the receiver is tried again after failures in a row: 1 s at first, at most 5 min, or as it says. */
export function pauseMsAfter(failures: number, retryAfterSeconds: number | null): number {
  const own = Math.min(longestPauseMs, 1_000 * 2 ** Math.min(failures - 1, 10));
  return Math.max(own, Math.min(retryAfterSeconds ?? 0, 3_600) * 1_000);
}
