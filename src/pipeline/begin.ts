// The beginning of each request behind the gate: its id, the URL that it was sent to, and the headers that every answer has.

import type { NextFunction, Request } from 'express';
import type { Surface } from '../domain/trace.ts';
import { type RequestSummary, watchRequest } from '../wire/trace.ts';
import { type Reply, requestBaseUrl } from './request.ts';

export interface BeginOptions {
  /** The URL of the server for clients; null for the one that each request was sent to. */
  readonly baseUrl: string | null;
  /** Number of proxies in front of the server. */
  readonly proxies: number;
  readonly newRequestId: () => string;
  readonly ended: ((summary: RequestSummary) => void) | undefined;
  /** Called with the address of a peer that forwards requests, although no setting names a proxy. */
  readonly strangerForwarded: (address: string) => void;
}

/** Creates the first middleware. It throws BAD_REQUEST as `requestBaseUrl`. */
export function createBegin({ baseUrl, proxies, newRequestId, ended, strangerForwarded }: BeginOptions) {
  return (request: Request, reply: Reply, next: NextFunction): void => {
    const requestId = newRequestId();
    reply.locals.info = { requestId, baseUrl: baseUrl ?? '' };
    watchRequest(request, reply, requestId, ended, 'page');
    reply.setHeader('X-Request-Id', requestId);
    if (proxies === 0 && request.headers['x-forwarded-for'] !== undefined) {
      strangerForwarded(request.socket.remoteAddress ?? 'unknown');
    }
    reply.setHeader('X-Content-Type-Options', 'nosniff');
    reply.setHeader('Cache-Control', 'private, no-cache');
    if (baseUrl === null) reply.locals.info = { requestId, baseUrl: requestBaseUrl(request) };
    // A base URL that ends in a slash makes some clients send `//ip_policies`.
    if (request.url.startsWith('//')) request.url = request.url.replace(/^\/{2,}/, '/');
    next();
  };
}

/** Sets the surface of a request for the log. Each surface in turn sets it, so the last one set is the one that answers. */
export function onSurface(surface: Surface) {
  return (_request: Request, reply: Reply, next: NextFunction): void => {
    reply.locals.trace.surface = surface;
    next();
  };
}
