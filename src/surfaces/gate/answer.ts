// The answers to proxies. One form serves all of them: nginx and Envoy look only at the status; Caddy, Traefik and HAProxy pass any
// answer that is not 200 on to the client.

import type { ServerResponse } from 'node:http';
import { identityHeaders } from '../../domain/gate/identity.ts';
import type { Session } from '../../domain/gate/login.ts';
import { send } from '../../wire/send.ts';
import { html } from '../kit/html.ts';
import { type PageLink, refusalHeaders, refusalText, writeRefusalPage } from '../kit/visitor-page.ts';
import { purposeOf } from './navigation.ts';
import type { Way } from './readers.ts';

/** Returns the headers of an answer that lets a request pass, in the form that Node sends without looking through it. */
function passHeaders(session: Session | null): string[] {
  // Without the length, Node would answer in chunks, and nginx closes the connection after each such answer.
  return ['Content-Length', '0', 'Cache-Control', 'no-store', ...identityHeaders(session).flat(), identityHeader];
}

/** The header of the signed identity, the last one: its value follows. It is always there, as are the other ones. */
const identityHeader = 'Sallyport-Identity';
const anonymous = passHeaders(null);
/** A session lets many requests pass, all with the same headers. */
const headersOf = new WeakMap<Session, string[]>();

/**
 * Lets a request pass. Envoy accepts no other status than 200 for that.
 *
 * @param identity the signed identity of the sender; empty for none
 * @param forwarded the headers that the application gets in place of the client's
 */
export function answerPass(
  reply: ServerResponse,
  session: Session | null,
  identity: string,
  forwarded: readonly string[],
): void {
  let headers = session === null ? anonymous : headersOf.get(session);
  if (headers === undefined) {
    headers = passHeaders(session);
    if (session !== null) headersOf.set(session, headers);
  }
  reply.writeHead(200, [...headers, identity, ...forwarded]);
  reply.end();
}

/** What a refusal says, and to whom. */
interface Refused {
  readonly kind: keyof typeof refusalText;
  readonly status: 401 | 403;
  /** The id under which the log says why. */
  readonly reference: string;
  readonly link: PageLink | null;
}

/**
 * Refuses a request: with a page if a person will see it, otherwise with a sentence.
 *
 * @param method of the request that the question was about
 * @param reference the id under which the log says why
 * @param link what leads on from the page; null for nothing
 */
export function answerRefusal(
  reply: ServerResponse,
  kind: keyof typeof refusalText,
  method: string | undefined,
  reference: string,
  link: PageLink | null,
): void {
  const text = refusalText[kind];
  if (purposeOf(reply.req.headers, method) !== 'program') {
    sendRefusalPage(reply, { kind, status: 403, reference, link });
    return;
  }
  setRefusalHeaders(reply, text, reference);
  send(reply, 403, 'text/plain; charset=utf-8', `Access denied. ${text}\nReference: ${reference}\n`);
}

function sendRefusalPage(reply: ServerResponse, { kind, status, reference, link }: Refused): void {
  const text = refusalText[kind];
  setRefusalHeaders(reply, text, reference);
  if (link !== null) {
    // For nginx, whose page inserts both as they are.
    reply.setHeader('Sallyport-Link', html`${link.href}`.text);
    reply.setHeader('Sallyport-Link-Text', html`${link.text}`.text);
  }
  send(reply, status, 'text/html; charset=utf-8', writeRefusalPage(text, reference, link));
}

function setRefusalHeaders(reply: ServerResponse, text: string, reference: string): void {
  reply.setHeader('Cache-Control', 'no-store');
  reply.setHeader('X-Request-Id', reference);
  // nginx does not pass on our page: its own shows the sentence.
  reply.setHeader('Sallyport-Refusal', text);
  for (const [name, value] of Object.entries(refusalHeaders)) reply.setHeader(name, value);
}

/**
 * Says that an API key is wrong, in the way of RFC 6750, section 3. A program is never led to a login.
 *
 * @param reference the id under which the log says more
 * @param retrySeconds when to try again, after many wrong keys from a network; null for at once
 */
export function answerWrongKey(reply: ServerResponse, way: Way, reference: string, retrySeconds: number | null): void {
  const message = 'The API key is unknown, has expired or has been revoked.';
  reply.setHeader('Cache-Control', 'no-store');
  reply.setHeader('X-Request-Id', reference);
  reply.setHeader('WWW-Authenticate', 'Bearer realm="Sallyport", error="invalid_token"');
  // nginx does not pass on our body: its own shows the sentence.
  reply.setHeader('Sallyport-Refusal', message);
  if (retrySeconds !== null) reply.setHeader('Retry-After', String(retrySeconds));
  // nginx makes an error of its own of 429.
  const status = retrySeconds === null || way === 'auth-request' ? 401 : 429;
  send(reply, status, 'application/json; charset=utf-8', `${JSON.stringify({ error: 'invalid_token', message })}\n`);
}

/** Where a browser is sent, and the one cookie that it gets, if any: nginx does not pass on a second one. */
export interface Redirect {
  readonly location: string;
  readonly cookie: string | null;
}

/** Redirects the browser. nginx accepts only 401 for that, and its configuration turns it into a redirect. */
export function answerRedirect(reply: ServerResponse, way: Way, { location, cookie }: Redirect): void {
  const headers = { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 };
  reply.writeHead(way === 'auth-request' ? 401 : 302, cookie === null ? headers : { ...headers, 'Set-Cookie': cookie });
  reply.end();
}

/**
 * Says that there is no session, to a program or to a person whose request cannot be repeated after a login, such as a form that was
 * sent. A program gets no redirect: a script would follow it, and take a form for its answer.
 *
 * @param link where a login begins; null if it cannot begin here
 */
export function answerUnauthenticated(
  reply: ServerResponse,
  way: Way,
  method: string | undefined,
  reference: string,
  link: PageLink | null,
): void {
  // RFC 9110, section 11.6.1: a 401 names a challenge. No browser knows this one, and so none asks for a password.
  const login = link === null ? '' : `, login="${link.href}"`;
  reply.setHeader('WWW-Authenticate', `Sallyport realm="login"${login}`);
  if (link !== null) reply.setHeader('Sallyport-Login', link.href);
  if (purposeOf(reply.req.headers, method) !== 'program') {
    // nginx shows a page for 403 alone.
    sendRefusalPage(reply, { kind: 'ended', status: way === 'auth-request' ? 403 : 401, reference, link });
    return;
  }
  reply.setHeader('Cache-Control', 'no-store');
  reply.setHeader('X-Request-Id', reference);
  const message = 'A login is required. Open the address of the login in a browser.';
  const body = { error: 'login_required', message, login: link?.href ?? null };
  send(reply, 401, 'application/json; charset=utf-8', `${JSON.stringify(body)}\n`);
}
