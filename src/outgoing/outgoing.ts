// The one guard of all requests that the server sends to addresses which users name: lists of ranges, metadata, discovery. It
// looks names up first, connects only to addresses that are allowed, follows redirects by the same rule, and bounds everything.

import { LRUCache } from 'lru-cache';
import { createWorkQueue } from '../domain/concurrency/work-queue.ts';
import { SallyportError } from '../domain/errors.ts';
import type { Range } from '../domain/ip/cidr.ts';
import { checkOutgoingUrl, problemOfUrl } from '../domain/values/outgoing-url.ts';
import { addressOfHost, exchange, type OutgoingAnswer, type OutgoingRequest } from './exchange.ts';
import { createMailer, type Mailer, type MailSettings } from './mail.ts';
import { createNames, keepAllowed, type LookedUp } from './names.ts';
import {
  type MessageAnswer,
  type MessageReceiver,
  messageMsMax,
  messageReceiver,
  type OutgoingMessage,
  postMessage,
} from './posting.ts';

const redirectsMax = 5;
/** Milliseconds for a request or look-up as a whole, from its turn on, and for one that a person waits for. */
const wholeMsMax = 30_000;
const personMsMax = 10_000;
/** Milliseconds for which the addresses of a receiver of messages count as checked, and its idle connections are kept. */
const connectionMs = 10_000;
/** Receivers whose connections are kept. */
const receiversMax = 1_000;

/** What the operator configures about outgoing requests. */
export interface OutgoingSettings extends MailSettings {
  /** Networks beside the public addresses that may be connected to. */
  readonly outgoingNetworks: readonly Range[];
  /** DNS servers to ask; empty for those of the system. */
  readonly outgoingDns: readonly string[];
}

/** Sends requests to servers of others. */
export interface Outgoing {
  /**
   * Requests an http or https URL and returns the answer, whatever its status. Redirects of a GET are followed, never from https
   * to http, and take no header along to another origin but `accept`; that of a POST fails. Nothing of ours is sent: no cookie, no
   * credentials.
   *
   * @param owner the id of the account that it is for: accounts take turns
   * @param signal drops the request when nobody waits for it any more
   * @throws INVALID_INPUT as `checkOutgoingUrl`; OUTGOING_REFUSED for an address that is not allowed, or a redirect to http;
   *   OUTGOING_FAILED for a server that cannot be looked up, reached or read within the bounds; UNAVAILABLE if too many requests
   *   of the account wait; the reason of the signal
   */
  fetch(owner: string, url: string, request: OutgoingRequest, signal?: AbortSignal): Promise<FetchedAnswer>;
  /**
   * As `fetch`, for a request that a person waits for in front of a page, with turns of its own: what the server reads by itself does
   * not hold it up. It gets less time, and an account may have more at once, so that one slow server leaves room for others.
   */
  fetchForPerson(owner: string, url: string, request: OutgoingRequest, signal?: AbortSignal): Promise<FetchedAnswer>;
  /**
   * Posts a message to a URL, as `fetch` does a POST, but with turns for messages alone, which many slow receivers may take without
   * holding up anything else, and over connections that are used again for some seconds. Of a long answer, the beginning is read.
   *
   * @throws as `fetch`
   */
  post(owner: string, url: string, message: OutgoingMessage, signal: AbortSignal): Promise<MessageAnswer>;
  /**
   * Looks up the addresses of a DNS name. They need not be allowed: nothing connects to them.
   *
   * @throws OUTGOING_FAILED, UNAVAILABLE, and the reason of the signal, as `fetch`
   */
  lookUp(owner: string, name: string, signal?: AbortSignal): Promise<LookedUp>;
  /** Sends mail through the server of the operator; null if there is none. */
  readonly mailer: Mailer | null;
}

/** An answer, and the URL that it came from after redirects. */
export interface FetchedAnswer extends OutgoingAnswer {
  readonly url: string;
}

/** Creates the guard. A process has one: it bounds how many requests are under way at once. */
export function createOutgoing({
  outgoingNetworks: allowed,
  outgoingDns: servers,
  ...mail
}: OutgoingSettings): Outgoing {
  const names = createNames(servers);
  const byItself = { queue: createWorkQueue({ atOnce: 16, atOnceOfOwner: 4, waitingMax: 200 }), msMax: wholeMsMax };
  const forPerson = { queue: createWorkQueue({ atOnce: 64, atOnceOfOwner: 16, waitingMax: 200 }), msMax: personMsMax };
  const ofMessages = createWorkQueue({ atOnce: 256, atOnceOfOwner: 64, waitingMax: 1_000 });
  /** Where messages were posted lately: the checked addresses, with the connections that lead there and nowhere else. */
  const receivers = new LRUCache<string, Promise<MessageReceiver>>({ max: receiversMax, ttl: connectionMs });
  const inTime = async <T>(
    msMax: number,
    what: string,
    signal: AbortSignal | undefined,
    work: (s: AbortSignal) => Promise<T>,
  ) => {
    const timeout = AbortSignal.timeout(msMax);
    try {
      return await work(signal === undefined ? timeout : AbortSignal.any([timeout, signal]));
    } catch (error) {
      if (!timeout.aborted || signal?.aborted) throw error;
      throw new SallyportError('OUTGOING_FAILED', `${what} did not answer within ${msMax / 1000} seconds.`);
    }
  };
  const inTurn = <T>(
    { queue, msMax }: typeof byItself,
    owner: string,
    what: string,
    signal: AbortSignal | undefined,
    work: (s: AbortSignal) => Promise<T>,
  ) => queue.run(owner, () => inTime(msMax, what, signal, work), signal);

  const addressesOf = async (url: URL, signal: AbortSignal) => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const literal = addressOfHost(url);
    const found = literal === null ? (await names.lookUp(host, signal)).addresses : [literal];
    return keepAllowed(host, found, allowed);
  };
  const visit = async (url: URL, request: OutgoingRequest, signal: AbortSignal) =>
    exchange(url, await addressesOf(url, signal), request, signal);
  const receiverAt = (owner: string, url: string, signal: AbortSignal): Promise<MessageReceiver> => {
    const key = `${owner} ${url}`;
    const known = receivers.get(key);
    if (known !== undefined) return known;
    const checked = checkOutgoingUrl('url', url);
    const making = inTime(messageMsMax, checked.host, signal, async (whole) =>
      messageReceiver(checked, await addressesOf(checked, whole), connectionMs),
    );
    receivers.set(key, making);
    making.catch(() => receivers.delete(key));
    return making;
  };

  const follow = async (first: URL, request: OutgoingRequest, signal: AbortSignal): Promise<FetchedAnswer> => {
    let url = first;
    let sent = request;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await visit(url, sent, signal);
      const { location } = answer.headers;
      if (!redirectStatuses.has(answer.status) || location === undefined) return { ...answer, url: url.href };
      if (sent.method === 'POST') throw wrongRedirect(url, 'to another address, which only a GET may follow.');
      if (redirects === redirectsMax) throw wrongRedirect(url, `more than ${redirectsMax} times.`);
      const next = URL.canParse(location, url) ? new URL(location, url) : null;
      if (next === null) throw wrongRedirect(url, 'to something that is not a URL.');
      if (url.protocol === 'https:' && next.protocol === 'http:') {
        throw new SallyportError(
          'OUTGOING_REFUSED',
          `${url.host} redirects from https to http, which is not followed.`,
        );
      }
      const wrong = problemOfUrl(next);
      if (wrong !== null) throw wrongRedirect(url, `to a URL that ${wrong}`);
      const { accept } = sent.headers ?? {};
      if (next.origin !== url.origin)
        sent = { bytesMax: sent.bytesMax, headers: accept === undefined ? {} : { accept } };
      url = next;
    }
  };

  const fetchIn =
    (turns: typeof byItself): Outgoing['fetch'] =>
    async (owner, url, request, signal) => {
      const checked = checkOutgoingUrl('url', url);
      return inTurn(turns, owner, checked.host, signal, (whole) => follow(checked, request, whole));
    };
  return {
    mailer: createMailer(mail),
    fetch: fetchIn(byItself),
    fetchForPerson: fetchIn(forPerson),
    async post(owner, url, message, signal) {
      return ofMessages.run(
        owner,
        async () => postMessage(await receiverAt(owner, url, signal), message, signal),
        signal,
      );
    },
    async lookUp(owner, name, signal) {
      return inTurn(byItself, owner, `The look-up of ${name}`, signal, (whole) => names.lookUp(name, whole));
    },
  };
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function wrongRedirect(url: URL, how: string): SallyportError {
  return new SallyportError('OUTGOING_FAILED', `${url.host} redirects ${how}`);
}
