// Ships to a receiver of the OpenTelemetry protocol for logs, as JSON over HTTP
// (https://opentelemetry.io/docs/specs/otlp/#otlphttp).

import { lookup } from 'node:dns/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { SallyportError } from '../../domain/errors.ts';
import { parseAddress } from '../../domain/ip/cidr.ts';
import { isJsonObject } from '../../domain/values/json.ts';
import { printable } from '../../domain/values/printable.ts';
import { truncateText } from '../../domain/values/text.ts';
import { addressOfHost, exchange, type OutgoingAnswer } from '../exchange.ts';
import { inOrder, type Receiver, type Rejection, ShippingFailure } from './receiver.ts';
import { otlpBody } from './records.ts';

/** What the operator has set. */
export interface OtlpSettings {
  readonly url: string;
  /** Header fields of each request; they may hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Certificates of the authorities that vouch for the server, in PEM; null for those of the system. */
  readonly ca: string | null;
  /** Attributes of this service, among them its name. */
  readonly resource: Readonly<Record<string, string>>;
}

const answerBytesMax = 65_536;
/** Characters of what a receiver says that are kept. */
const saidBytesMax = 200;
/** Statuses of an answer to what can never be taken as it is. */
const refusing: ReadonlySet<number> = new Set([400, 413, 422]);

/** Creates the receiver. Its address is the operator's, and may be any. */
export function createOtlpReceiver(settings: OtlpSettings, version: string, now: () => Date): Receiver {
  const { headers, timeoutMs, ca, resource } = settings;
  const url = new URL(settings.url);
  const turn = inOrder();
  const options = { keepAlive: true, maxSockets: 1 };
  const agent =
    url.protocol === 'https:' ? new HttpsAgent({ ...options, ...(ca === null ? {} : { ca }) }) : new HttpAgent(options);
  const where = `The receiver at ${url.host}`;

  const post = async (body: string, signal: AbortSignal): Promise<OutgoingAnswer> => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const until = AbortSignal.any([signal, timeout]);
    try {
      const literal = addressOfHost(url);
      const addresses = literal === null ? await addressesOf(url.hostname) : [literal];
      const sent = { 'content-type': 'application/json', ...headers };
      const request = { method: 'POST', headers: sent, body, bytesMax: answerBytesMax, isCut: true } as const;
      return await exchange(url, addresses, { ...request, silenceMs: timeoutMs }, until, agent);
    } catch (error) {
      if (timeout.aborted && !signal.aborted) {
        throw new ShippingFailure(`${where} did not answer within ${timeoutMs / 1000} seconds.`);
      }
      if (error instanceof SallyportError) throw new ShippingFailure(error.message, { cause: error });
      throw error;
    }
  };
  /** Returns what a receiver said as one line without what it was sent as a header: some repeat that. */
  const quoted = (text: string) => {
    let shown = text;
    // Of `Bearer abc`, a receiver may repeat only the second word. Short words are names of schemes, or tell nothing.
    const words = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
    for (const secret of words.filter(({ length }) => length > 6)) shown = shown.replaceAll(secret, '***');
    return truncateText(printable(shown), saidBytesMax);
  };
  return {
    name: 'otlp',
    doubtMs: 0,
    known: null,
    send: (records, signal) =>
      turn(async () => {
        if (records.length === 0) return null;
        const answer = await post(otlpBody(records, resource, { name: 'sallyport', version }, now()), signal);
        const { status } = answer;
        if (status >= 200 && status < 300) return rejectionIn(answer.body.toString(), quoted);
        const retryAfter = Number(answer.headers['retry-after']);
        throw new ShippingFailure(`${where} answered with status ${status}.`, {
          retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
          isRefused: refusing.has(status),
        });
      }),
    close: async () => {
      agent.destroy();
      return true;
    },
  };
}

/** Looks a name up as the system does, with its `hosts` file and search domains: it is one of the operator's own. */
async function addressesOf(name: string) {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => parseAddress('url', address));
  } catch (error) {
    throw new ShippingFailure(`The name ${name} cannot be looked up.`, { cause: error });
  }
}

/** Reads how many records were rejected from the answer to a request that succeeded. */
function rejectionIn(body: string, quoted: (text: string) => string): Rejection | null {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    // An empty answer, or one in another form, rejects nothing.
    return null;
  }
  const partial = isJsonObject(answer) ? answer.partialSuccess : undefined;
  if (!isJsonObject(partial)) return null;
  // ProtoJSON writes 64-bit numbers as text, and readers take both.
  const count = Number(partial.rejectedLogRecords ?? 0);
  const message = typeof partial.errorMessage === 'string' ? quoted(partial.errorMessage) : '';
  return Number.isSafeInteger(count) && count > 0 ? { count, message } : null;
}
