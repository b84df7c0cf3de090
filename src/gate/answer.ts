// The answers to proxies. One form serves all of them: nginx and Envoy look only at the status; Caddy, Traefik and HAProxy pass any
// answer that is not 200 on to the client.

import type { ServerResponse } from 'node:http';
import type { Session } from '../domain/gate/decide.ts';
import { identityHeaders } from '../domain/gate/identity.ts';
import { send } from '../http/send.ts';
import { refusalHeaders, refusalText, writeRefusalPage } from './page.ts';
import type { Way } from './readers.ts';

/** Returns the headers of an answer that lets a request pass, in the form that Node sends without looking through it. */
function passHeaders(session: Session | null): string[] {
  // Without the length, Node would answer in chunks, and nginx closes the connection after each such answer.
  return ['Content-Length', '0', 'Cache-Control', 'no-store', ...identityHeaders(session).flat()];
}

const anonymous = passHeaders(null);
/** A session lets many requests pass, all with the same headers. */
const headersOf = new WeakMap<Session, string[]>();

/** Lets a request pass. Envoy accepts no other status than 200 for that. */
export function answerPass(reply: ServerResponse, session: Session | null): void {
  let headers = session === null ? anonymous : headersOf.get(session);
  if (headers === undefined) {
    headers = passHeaders(session);
    if (session !== null) headersOf.set(session, headers);
  }
  reply.writeHead(200, headers);
  reply.end();
}

/**
 * Refuses a request: with a page if a person will see it, otherwise with a sentence.
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
  // nginx does not pass on our page: its own shows the sentence.
  reply.setHeader('Sallyport-Refusal', text);
  for (const [name, value] of Object.entries(refusalHeaders)) reply.setHeader(name, value);
  if (navigates(reply, method)) send(reply, 403, 'text/html; charset=utf-8', writeRefusalPage(text, reference));
  else send(reply, 403, 'text/plain; charset=utf-8', `Access denied. ${text}\nReference: ${reference}\n`);
}

/** Where a browser is sent, and the one cookie that it gets: nginx does not pass on a second one. */
export interface Redirect {
  readonly location: string;
  readonly cookie: string;
}

/** Redirects the browser. nginx accepts only 401 for that, and its configuration turns it into a redirect. */
export function answerRedirect(reply: ServerResponse, way: Way, { location, cookie }: Redirect): void {
  const headers = { Location: location, 'Set-Cookie': cookie, 'Cache-Control': 'no-store', 'Content-Length': 0 };
  reply.writeHead(way === 'auth-request' ? 401 : 302, headers);
  reply.end();
}

/** Tells a program that it has no session. It gets no redirect: a script would follow it, and take a form for its answer. */
export function answerUnauthenticated(reply: ServerResponse): void {
  reply.setHeader('Cache-Control', 'no-store');
  send(reply, 401, 'text/plain; charset=utf-8', 'A login is required. Open this address in a browser.\n');
}

/** Returns whether a request comes from somebody who wants to see a page. */
export function navigates({ req }: ServerResponse, method: string | undefined): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(req.headers.accept ?? '');
}
