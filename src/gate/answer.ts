// The answers to proxies. One form serves all of them: nginx and Envoy look only at the status, Caddy, Traefik and HAProxy pass
// on to the client whatever is not 200.

import type { ServerResponse } from 'node:http';
import type { Session } from '../domain/gate/decide.ts';
import { identityHeaders } from '../domain/gate/identity.ts';
import { send } from '../http/send.ts';
import { refusalHeaders, refusalText, writeRefusalPage } from './page.ts';
import type { Way } from './readers.ts';

/** Writes the head of an answer that lets a request pass, in the form that Node sends without looking through it. */
function passHeaders(session: Session | null): string[] {
  // Without the length, Node would answer in chunks, of which nginx closes the connection each time.
  return ['Content-Length', '0', 'Cache-Control', 'no-store', ...identityHeaders(session).flat()];
}

const anonymous = passHeaders(null);
/** A session lets many requests pass, and all in the same words. */
const headersOf = new WeakMap<Session, string[]>();

/** Lets a request pass. Envoy takes no other status than 200 for that. */
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
  // nginx takes no page from us: its own shows the sentence.
  reply.setHeader('Sallyport-Refusal', text);
  for (const [name, value] of Object.entries(refusalHeaders)) reply.setHeader(name, value);
  if (navigates(reply, method)) send(reply, 403, 'text/html; charset=utf-8', writeRefusalPage(text, reference));
  else send(reply, 403, 'text/plain; charset=utf-8', `Access denied. ${text}\nReference: ${reference}\n`);
}

/** Where a browser is sent, and the one cookie that it gets: nginx takes no second one. */
export interface Redirect {
  readonly location: string;
  readonly cookie: string;
}

/** Sends the browser elsewhere. nginx takes nothing but 401 for that, and its configuration makes a redirect of it. */
export function answerRedirect(reply: ServerResponse, way: Way, { location, cookie }: Redirect): void {
  const headers = { Location: location, 'Set-Cookie': cookie, 'Cache-Control': 'no-store', 'Content-Length': 0 };
  reply.writeHead(way === 'auth-request' ? 401 : 302, headers);
  reply.end();
}

/** Tells a program that it has no session. It gets no place to go to: a script would follow it, and take a form for its answer. */
export function answerUnauthenticated(reply: ServerResponse): void {
  reply.setHeader('Cache-Control', 'no-store');
  send(reply, 401, 'text/plain; charset=utf-8', 'A login is required. Open this address in a browser.\n');
}

/** Tells whether a request comes from somebody who wants to see a page. */
export function navigates({ req }: ServerResponse, method: string | undefined): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(req.headers.accept ?? '');
}
