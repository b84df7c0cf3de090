// The page that a person sees if a login meets an error of ours, rather than a refusal.

import type { Request } from 'express';
import type { SallyportError } from '../../domain/errors.ts';
import { prefersPage } from '../../pipeline/negotiation.ts';
import type { Reply } from '../../pipeline/request.ts';
import { send } from '../../wire/send.ts';
import { type PageLink, refusalHeaders, refusalText, writeRefusalPage } from '../kit/visitor-page.ts';
import { beginLink } from './saml-pages.ts';

/** Returns whether a person will see the answer to a request: one of a login, in a browser. */
export function isLookedAt(request: Request, reply: Reply): boolean {
  return reply.locals.trace.surface === 'login' && prefersPage(request);
}

/** Answers with the page. The details of our own failures are for the log. */
export function sendErrorPage(request: Request, reply: Reply, status: number, { message }: SallyportError): void {
  for (const [name, value] of Object.entries(refusalHeaders)) reply.setHeader(name, value);
  const text = status < 500 ? message : refusalText.failed;
  send(
    reply,
    status,
    'text/html; charset=utf-8',
    writeRefusalPage(text, reply.locals.info.requestId, linkOf(request, status)),
  );
}

/** Returns what leads on: to the same page if it may be there in a moment, else to where a login begins; null if there is none. */
function linkOf({ method, path, originalUrl }: Request, status: number): PageLink | null {
  if (status >= 500 && method === 'GET') return { href: originalUrl, text: 'Try again' };
  const [, routeId] = /^\/saml\/([^/]+)\//.exec(path) ?? [];
  return status === 404 || routeId === undefined ? null : beginLink(routeId);
}
