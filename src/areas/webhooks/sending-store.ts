// Sends messages of a webhook to its receiver, and tells what became of each.

import { SallyportError } from '../../domain/errors.ts';
import { groupBy } from '../../domain/values/maps.ts';
import { truncateText } from '../../domain/values/text.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import type { UpkeepScope } from '../../storage/lifecycle/upkeep.ts';
import type { AuditEvent } from '../../storage/trail/event-reads.ts';
import { mailAddress, mailEveryMs, mailMessagesMax, mailOf, shaped, type WebhookFormat } from './formats.ts';
import type { DeliveryResult, Standing, WaitingDelivery } from './lane-store.ts';
import {
  type Attempt,
  answerCharacters,
  concernsAll,
  eventBody,
  isGivenUp,
  pauseMsAfter,
  signedHeaders,
  typeOf,
  waitMsAfter,
} from './rules.ts';

/** Messages of a webhook that are under way at once: one until the receiver has accepted one after a failure. */
const underWayMax = 8;
/** Messages that a receiver refuses in a row, after which it is paused as if it were not there. */
const refusedMax = 10;
const answerBytesMax = 4_096;

/** What is sent to a receiver. */
export interface Message extends WaitingDelivery {
  /** Whether it is stored as a delivery already. */
  readonly isStored: boolean;
}

/** Where messages are sent. */
export interface Receiver {
  readonly webhookId: string;
  readonly description: string;
  readonly accountId: string;
  readonly url: string;
  readonly format: WebhookFormat;
  readonly secrets: readonly { readonly bytes: Uint8Array; readonly until: Date | null }[];
  readonly standing: Standing;
}

/** What sending needs besides. */
export interface Sending {
  readonly outgoing: Outgoing;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Whether the webhook is not this server's to send any more: it was disabled or deleted, or another server has it. */
  readonly isOver: () => boolean;
  /** Resolves when the server has time for a message. */
  readonly turn: () => Promise<void>;
}

/** Returns the message about an event of the trail, as of now. */
export function messageOf(event: AuditEvent, now: Date): Message {
  const { id, objectId, commitOrder } = event;
  const body = eventBody(event);
  return {
    messageId: id,
    type: typeOf(event),
    objectId,
    place: commitOrder,
    body,
    since: now,
    attempts: 0,
    isStored: false,
  };
}

/** Adds the bodies of messages that are events of the trail; null for those that have been deleted. */
export async function withBodies(
  { events }: UpkeepScope,
  accountId: string,
  due: readonly WaitingDelivery[],
): Promise<Message[]> {
  const ids = due.filter(({ body }) => body === null).map(({ messageId }) => messageId);
  const found = new Map((await events.byIds(accountId, ids)).map((event) => [event.id, eventBody(event)]));
  return due.map((each) => ({ ...each, body: each.body ?? found.get(each.messageId) ?? null, isStored: true }));
}

/** Sends messages, those of an object one after the other. What is not tried, because the receiver is not there, waits. */
export async function sendAll(receiver: Receiver, messages: readonly Message[], sending: Sending) {
  const { now, signal } = sending;
  const address = mailAddress(receiver.url);
  if (address !== null) return mailAll(receiver, address, messages, sending);
  const groups = [...groupBy(messages, ({ objectId }) => objectId).values()];
  const results: DeliveryResult[] = [];
  const accepted: (DeliveryResult & { readonly isStored: boolean })[] = [];
  let { failingSince, failures, pausedUntil, deliveredAt } = receiver.standing;
  let width = failures > 0 ? 1 : underWayMax;
  let isGone = false;
  let begun = 0;
  let refused = 0;
  const sendGroup = async (group: readonly Message[]) => {
    let isHeldUp = false;
    for (const message of group) {
      const { body, ...kept } = message;
      const mayTry = () => !isHeldUp && !sending.isOver() && !(pausedUntil !== null && pausedUntil > now());
      if (body !== null && mayTry()) await sending.turn();
      const begunAt = now();
      if (body === null) {
        results.push(forgotten(message, begunAt));
        continue;
      }
      const attempt = signal.aborted || !mayTry() ? null : await attemptAt(receiver, message.messageId, body, sending);
      const at = now();
      if (attempt === null) {
        isHeldUp = true;
        if (!message.isStored) results.push(unsent(message, at));
        continue;
      }
      const tried = { ...kept, body, attempts: message.attempts + 1, triedAt: at, nextAt: at, ...attempt };
      if (attempt.failure === null) {
        [failingSince, failures, pausedUntil, deliveredAt, refused] = [null, 0, null, at, 0];
        accepted.push({ ...tried, since: at, state: 'delivered' });
        continue;
      }
      isHeldUp = true;
      failingSince ??= at;
      refused += 1;
      if (attempt.status === 410) isGone = true;
      // Several that fail at once are one failure of the receiver.
      const isNews = pausedUntil === null || pausedUntil <= at;
      if (isNews && (concernsAll(attempt) || refused >= refusedMax)) {
        failures += 1;
        pausedUntil = new Date(at.getTime() + pauseMsAfter(failures, attempt.retryAfterSeconds));
      }
      const isOver = isGivenUp(message.since, at);
      const nextAt = new Date(at.getTime() + waitMsAfter(tried.attempts));
      results.push({ ...tried, nextAt, state: isOver ? 'set_aside' : 'waiting', ...(isOver ? { since: at } : {}) });
    }
  };
  const work = async (): Promise<void> => {
    for (let group = groups[begun++]; group !== undefined; group = groups[begun++]) await sendGroup(group);
  };
  // One at first after a failure; once a message was accepted, as many as usual.
  if (width === 1 && groups[0] !== undefined) {
    begun = 1;
    await sendGroup(groups[0]);
    if (failures === 0) width = underWayMax;
  }
  await Promise.all(Array.from({ length: width }, work));
  return { results, accepted, isGone, standing: { failingSince, failures, pausedUntil, deliveredAt } };
}

/** Sends messages as one mail, in their order. However many there are, an address gets one mail in a while. */
async function mailAll(receiver: Receiver, to: string, messages: readonly Message[], sending: Sending) {
  const { outgoing, now, signal } = sending;
  const { webhookId, description, accountId, standing } = receiver;
  const results: DeliveryResult[] = messages.filter(({ body }) => body === null).map((each) => forgotten(each, now()));
  const told = messages.flatMap(({ body, ...kept }) => (body === null ? [] : [{ ...kept, body }]));
  const some = told.slice(0, mailMessagesMax);
  const kept = told.slice(mailMessagesMax).filter(({ isStored }) => !isStored);
  for (const each of kept) results.push(unsent(each, now()));
  const [first] = some;
  const nothing = { results, accepted: [], isGone: false, standing };
  if (first === undefined) return nothing;
  await sending.turn();
  if (signal.aborted || sending.isOver()) {
    for (const each of some) if (!each.isStored) results.push(unsent(each, now()));
    return nothing;
  }
  const { mailer } = outgoing;
  const bodies = some.map(({ body }) => body);
  const mail = mailOf(bodies, { webhook: { id: webhookId, description }, accountId, server: mailer?.server ?? null });
  const attempt = await (mailer === null
    ? Promise.resolve({ status: null, failure: 'This server sends no mail until its operator sets a mail server up.' })
    : mailer.send(accountId, { to, ...mail, id: `${webhookId}.${first.messageId}` }).then(
        (status) => ({ status, failure: status === 250 ? null : `The mail server answered with ${status}.` }),
        (error: unknown) => {
          if (error instanceof SallyportError) return { status: null, failure: error.message };
          throw error;
        },
      ));
  const at = now();
  const tried = some.map((each) => ({ ...each, attempts: each.attempts + 1, triedAt: at, answer: '', ...attempt }));
  if (attempt.failure === null) {
    const accepted = tried.map((each) => ({ ...each, nextAt: at, since: at, state: 'delivered' as const }));
    const pausedUntil = new Date(at.getTime() + mailEveryMs);
    return { ...nothing, accepted, standing: { failingSince: null, failures: 0, pausedUntil, deliveredAt: at } };
  }
  for (const each of tried) {
    const isOver = isGivenUp(each.since, at);
    const nextAt = new Date(at.getTime() + waitMsAfter(each.attempts));
    results.push({ ...each, nextAt, state: isOver ? 'set_aside' : 'waiting', ...(isOver ? { since: at } : {}) });
  }
  const failures = standing.failures + 1;
  const pausedUntil = new Date(at.getTime() + Math.max(mailEveryMs, pauseMsAfter(failures, null)));
  const failingSince = standing.failingSince ?? at;
  return { ...nothing, standing: { ...standing, failingSince, failures, pausedUntil } };
}

/** What is stored of a message whose event is gone. */
function forgotten(message: Message, at: Date): DeliveryResult {
  return {
    ...unsent(message, at),
    failure: 'The event was deleted because of its age.',
    state: 'set_aside',
    since: at,
  };
}

/** Makes an attempt; null if the server stops meanwhile. */
async function attemptAt(
  { accountId, url: address, format, secrets }: Receiver,
  messageId: string,
  told: string,
  { outgoing, now, signal }: Sending,
): Promise<Attempt | null> {
  const { url, body } = shaped(format, address, told);
  const none = { status: null, answer: '', retryAfterSeconds: null };
  const at = now();
  const valid = secrets.filter(({ until }) => until === null || until > at).map(({ bytes }) => bytes);
  const headers = { 'content-type': 'application/json', ...signedHeaders(messageId, body, valid, at) };
  try {
    const answer = await outgoing.post(accountId, url, { headers, body, bytesMax: answerBytesMax }, signal);
    const { status } = answer;
    const retryAfter = Number(answer.retryAfter);
    return {
      status,
      answer: shortened(answer.body),
      failure: status >= 200 && status < 300 ? null : `The receiver answered with status ${status}.`,
      retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
    };
  } catch (error) {
    if (signal.aborted) return null;
    if (error instanceof SallyportError) return { ...none, failure: error.message };
    throw error;
  }
}

/** What is stored of a message that waits without an attempt. */
export function unsent(message: Message, at: Date): DeliveryResult {
  return { ...message, state: 'waiting', triedAt: null, nextAt: at, status: null, answer: '', failure: null };
}

/** Shortens an answer to what is kept of it, as text. */
function shortened(body: Buffer): string {
  const text = body.toString('utf8').replace(/[^\P{Cc}\n\t]/gu, '�');
  return truncateText(text, answerCharacters);
}

/** Deliveries that were accepted are shown as far as they are few: a hundred at once, then ten a second. */
export const shownMax = 100;
const shownPerSecond = 10;

/** How many deliveries may be shown now. */
export interface Shown {
  left: number;
  atMs: number;
}

/** Takes as many of the deliveries that may be shown as are wanted and left. */
export function takeShown(shown: Shown, wanted: number): number {
  const nowMs = performance.now();
  shown.left = Math.min(shownMax, shown.left + ((nowMs - shown.atMs) * shownPerSecond) / 1000);
  shown.atMs = nowMs;
  const taken = Math.min(wanted, Math.floor(shown.left));
  shown.left -= taken;
  return taken;
}
