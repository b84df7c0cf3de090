// Looks up DNS names in bounded time, and keeps of the answer only the addresses that may be connected to.

import { CANCELLED, NODATA, NOTFOUND, promises, SERVFAIL } from 'node:dns';
import { SallyportError } from '../domain/errors.ts';
import { type Address, parseAddress, type Range } from '../domain/ip/cidr.ts';
import { readNode } from '../domain/ip/node-address.ts';
import { remedies } from '../domain/remedies.ts';
import { mayConnect } from './addresses.ts';

/** Milliseconds for each question to a DNS server, and how often each is asked. */
const questionMs = 2_000;
const tries = 2;

/** Most addresses of one name that are used; a message over TCP has room for thousands. */
const addressesMax = 1_000;

/** The addresses of a name, and the seconds for which they are true. */
export interface LookedUp {
  readonly addresses: readonly Address[];
  /** The shortest time to live of them, in seconds. */
  readonly ttlSeconds: number;
}

/** Looks up names. */
export interface Names {
  /**
   * Looks up the IPv4 and IPv6 addresses of a name, in ascending order. The servers are asked directly and not through the system's
   * resolver (`getaddrinfo`), which occupies a thread for as long as a server says nothing.
   *
   * @throws OUTGOING_FAILED if the name has no address or no server answers, the reason of the signal
   */
  lookUp(name: string, signal: AbortSignal): Promise<LookedUp>;
}

/** Returns whether a text names a DNS server: an address, and a port where it is not 53. */
export function isDnsServer(text: string): boolean {
  if (readNode(text) === null || /["%]/.test(text)) return false;
  const port = Number(/(?:^[\d.]+|\]):(\d+)$/.exec(text)?.[1] ?? 53);
  return port >= 1 && port <= 65_535;
}

/**
 * Creates look-ups.
 *
 * @param servers the DNS servers, with ports where they are not 53; empty for those of the system
 */
export function createNames(servers: readonly string[]): Names {
  return {
    async lookUp(name, signal) {
      signal.throwIfAborted();
      // RFC 6761, section 6.3: this name is never asked for.
      if (/^(.+\.)?localhost\.?$/i.test(name)) {
        return { addresses: ['127.0.0.1', '::1'].map((text) => parseAddress('name', text)), ttlSeconds: 0 };
      }
      const resolver = new promises.Resolver({ timeout: questionMs, tries });
      if (servers.length > 0) resolver.setServers(servers);
      const cancel = () => resolver.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      try {
        const answers = await Promise.allSettled([
          resolver.resolve4(name, { ttl: true }),
          resolver.resolve6(name, { ttl: true }),
        ]);
        const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [codeOf(answer.reason)] : []));
        // One of them is usually missing, which is an answer; silence about one is not: the list would seem to shrink.
        const failure = failures.find((code) => code !== NODATA && code !== NOTFOUND);
        signal.throwIfAborted();
        if (failure !== undefined) throw failed(name, reasons[failure] ?? `the look-up failed (${failure}).`);
        const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
        if (found.length === 0) throw failed(name, 'there is no such name, or it has no address.');
        if (found.length > addressesMax) throw failed(name, `it has more than ${addressesMax} addresses.`);
        return {
          addresses: [...new Set(found.map(({ address }) => address))].sort().map((text) => parseAddress('name', text)),
          ttlSeconds: Math.min(...found.map(({ ttl }) => ttl)),
        };
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    },
  };
}

/** Keeps of a host's addresses those that may be connected to. Throws OUTGOING_REFUSED if none is left. */
export function keepAllowed(
  host: string,
  addresses: readonly Address[],
  allowed: readonly Range[],
): readonly Address[] {
  const kept = addresses.filter((address) => mayConnect(address, allowed));
  if (kept.length > 0) return kept;
  const [first] = addresses;
  const where = first === undefined || String(first) === host ? host : `${host} is at ${first}, which`;
  throw new SallyportError(
    'OUTGOING_REFUSED',
    `${where} is not a public address, and this server connects to others only where its operator allows them in ` +
      `${remedies.allowOutgoing}. Name a public host, or ask the operator.`,
  );
}

const reasons: Readonly<Record<string, string>> = {
  [SERVFAIL]: 'its DNS server failed (SERVFAIL).',
  [CANCELLED]: 'the look-up took too long.',
  ETIMEOUT: 'no DNS server answered in time.',
  ECONNREFUSED: 'the DNS server cannot be reached.',
  EBADNAME: 'it is not a name that DNS can have.',
};

function failed(name: string, reason: string): SallyportError {
  return new SallyportError('OUTGOING_FAILED', `${name} cannot be looked up: ${reason}`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
