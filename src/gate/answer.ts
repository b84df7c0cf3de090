// The answers to proxies. One form serves all of them: nginx and Envoy look only at the status, Caddy, Traefik and HAProxy pass
// on to the client whatever is not 200.

import type { ServerResponse } from 'node:http';
import type { Session } from '../domain/gate/decide.ts';
import { identityHeaders } from '../domain/gate/identity.ts';
import { send } from '../http/send.ts';
import { refusalHeaders, refusalText, writeRefusalPage } from './page.ts';

/** Writes the head of an answer that lets a request pass, in the form that Node sends without looking through it. */
function passHeaders(session: Session | null): string[] {
  // Without the length, Node would answer in chunks, of which nginx closes the connection each time.
  return ['Content-Length', '0', 'Cache-Control', 'no-store', ...identityHeaders(session).flat()];
}

const anonymous = passHeaders(null);

/** Lets a request pass. Envoy takes no other status than 200 for that. */
export function answerPass(reply: ServerResponse, session: Session | null): void {
  reply.writeHead(200, session === null ? anonymous : passHeaders(session));
  reply.end();
}

/**
 * Refuses a request: with a page where somebody looks at it, else in a sentence.
 *
 * @param method of the request that the question was about
 * @param reference the id under which the log says why
 */
export function answerRefusal(
  reply: ServerResponse,
  kind: keyof typeof refusalText,
  method: string | undefined,
  reference: string,
): void {
  const text = refusalText[kind];
  reply.setHeader('Cache-Control', 'no-store');
  reply.setHeader('X-Request-Id', reference);
  for (const [name, value] of Object.entries(refusalHeaders)) reply.setHeader(name, value);
  if (navigates(reply, method)) send(reply, 403, 'text/html; charset=utf-8', writeRefusalPage(text, reference));
  else send(reply, 403, 'text/plain; charset=utf-8', `Access denied. ${text}\nReference: ${reference}\n`);
}

/** Tells whether a request comes from somebody who wants to see a page. */
function navigates({ req }: ServerResponse, method: string | undefined): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(req.headers.accept ?? '');
}
