// How each kind of proxy describes the request that it asks about. Each kind has its own path, and only its own headers are read: a
// header that a proxy does not set itself comes from the client, who could use it to choose the answer.

import type { IncomingMessage } from 'node:http';
import type { GateRequest } from '../../domain/gate/decide.ts';
import { clientAddress, type Proxies } from '../../domain/gate/proxies.ts';
import { splitUrl } from '../../domain/gate/url.ts';

/** A proxy's question: what comes after the id of the edge in the path, and the headers as they were sent. */
export interface Question extends Pick<IncomingMessage, 'method' | 'rawHeaders'> {
  readonly rest: string;
}

/** Reads the request that a question is about; returns null if anything is missing, repeated or malformed. */
export type ReadQuestion = (question: Question, proxies: Proxies) => GateRequest | null;

/** The ways of asking, by their segment of the path. */
export const readers = {
  /** nginx `auth_request`: headers that its configuration names. */
  'auth-request': ({ rest, rawHeaders }, proxies) => {
    const url = splitUrl(header(rawHeaders, 'x-original-url') ?? '');
    const method = header(rawHeaders, 'x-original-method');
    const address = client(rawHeaders, proxies);
    if (hasMorePath(rest) || url === null || method === null || address === null) return null;
    return { method, ...url, address };
  },

  /** Caddy `forward_auth`, Traefik ForwardAuth, and HAProxy by the script in `deploy/haproxy`. */
  'forward-auth': ({ rest, rawHeaders }, proxies) => {
    const method = header(rawHeaders, 'x-forwarded-method');
    const scheme = header(rawHeaders, 'x-forwarded-proto');
    const host = header(rawHeaders, 'x-forwarded-host');
    const target = header(rawHeaders, 'x-forwarded-uri');
    const address = client(rawHeaders, proxies);
    if (hasMorePath(rest) || method === null || scheme === null || host === null) return null;
    return target === null || address === null ? null : { method, scheme, host, target, address };
  },

  /** Envoy `ext_authz` over HTTP: the client's own method, host and path, with the path after ours. */
  'ext-authz': ({ rest, method, rawHeaders }, proxies) => {
    const scheme = header(rawHeaders, 'x-forwarded-proto');
    const host = header(rawHeaders, 'host');
    const address = client(rawHeaders, proxies);
    if (!rest.startsWith('/') || method === undefined || scheme === null || host === null) return null;
    return address === null ? null : { method, scheme, host, target: rest, address };
  },
} as const satisfies Record<string, ReadQuestion>;

export type Way = keyof typeof readers;

/**
 * Returns whether the path continues after the id of the edge. A query does not count: Caddy appends the client's, unless its
 * configuration ends the path with a question mark, as ours does.
 */
function hasMorePath(rest: string): boolean {
  return rest !== '' && !rest.startsWith('?');
}

/** Returns the value of a header that was sent exactly once; null otherwise. */
function header(rawHeaders: readonly string[], name: string): string | null {
  let found: string | null = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index];
    if (given?.length !== name.length || given.toLowerCase() !== name) continue;
    if (found !== null) return null;
    found = rawHeaders[index + 1] ?? null;
  }
  return found;
}

function client(rawHeaders: readonly string[], proxies: Proxies) {
  const forwardedFor = header(rawHeaders, 'x-forwarded-for');
  return forwardedFor === null ? null : clientAddress(forwardedFor, proxies);
}
