// The session. An API key is exchanged for a cookie that scripts cannot read; the key itself is not kept.

import type { Problem } from './problem.ts';
import { dashboardPath, ownHeaders, sessionUrl, signInUrl } from './server.ts';
import { createStore } from './store.ts';

/** State of the session: `ended` if there was one and it is over, `refused` if the server no longer accepts this address. */
export type SessionState = 'unknown' | 'signedOut' | 'signedIn' | 'ended' | 'refused';

export const sessionState = createStore<SessionState>('unknown');

/** Tells the other tabs about a sign-out: all tabs share the session, and none of them keeps anything. */
const signOuts = new BroadcastChannel('sallyport-sign-outs');
signOuts.onmessage = () => sessionState.set('signedOut');

/** Error body of the session endpoint. */
interface Refusal {
  readonly error_code?: string;
  readonly msg?: string;
  readonly details?: { readonly command?: string };
}

async function ask(method: string, body?: object): Promise<Response> {
  return fetch(sessionUrl, {
    method,
    headers: body === undefined ? ownHeaders : { ...ownHeaders, 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
}

const unreachable: Problem = { code: 'UNREACHABLE', message: 'The server cannot be reached.', field: null };

/** Returns the problem in an error response. */
async function readRefusal(answer: Response): Promise<Problem> {
  const {
    error_code: code = 'INTERNAL',
    msg,
    details: { command } = {},
  }: Refusal = await answer.json().catch(() => ({}));
  return {
    code,
    message: msg ?? `The server answered with ${answer.status}.`,
    field: null,
    ...(command !== undefined && { command }),
  };
}

/** Asks the server whether there is a session, and sets `sessionState`. Returns null, or the problem if there is no answer. */
export async function findSession(): Promise<Problem | null> {
  const answer = await ask('GET').catch(() => null);
  if (answer === null) return unreachable;
  if (!answer.ok) return readRefusal(answer);
  const { signed_in: signedIn }: { signed_in: boolean } = await answer.json();
  const none = sessionState.get() === 'refused' ? 'ended' : 'signedOut';
  sessionState.set(signedIn ? 'signedIn' : none);
  return null;
}

/** How people sign in: at providers, with API keys, or both. */
export interface SignInOffer {
  readonly providers: readonly { readonly id: string; readonly name: string }[];
  readonly keys: boolean;
}

/** Asks how people sign in to the account in the address of the page. Keys alone if the server does not say. */
export async function findOffer(): Promise<SignInOffer> {
  const account = new URLSearchParams(location.search).get('account');
  const query = account === null ? '' : `?account=${encodeURIComponent(account)}`;
  const answer = await fetch(`${signInUrl}${query}`).catch(() => null);
  return answer?.ok === true ? answer.json() : { providers: [], keys: true };
}

/** Returns the address at which somebody signs in by a provider, and comes back to the current page. */
export function signInAt(id: string): string {
  const page = location.pathname.slice(dashboardPath.length).replace(/^\//, '');
  return `${signInUrl}/${id}?to=${encodeURIComponent(`${page}${location.search}`)}`;
}

/** Signs in with an API key. Returns null, or the problem. */
export async function signIn(token: string): Promise<Problem | null> {
  const answer = await ask('POST', { token: token.trim() }).catch(() => null);
  if (answer === null) return unreachable;
  if (answer.ok) {
    sessionState.set('signedIn');
    return null;
  }
  const problem = await readRefusal(answer);
  if (answer.status !== 401) return problem;
  return { ...problem, message: 'This is not a key of this server, or it was revoked or has expired.' };
}

/** Ends the session. Returns null, or an error message if it could not be ended. */
export async function signOut(): Promise<string | null> {
  const answer = await ask('DELETE').catch(() => null);
  if (answer === null) return unreachable.message;
  // 401: there was no session to end.
  if (!answer.ok && answer.status !== 401) return (await readRefusal(answer)).message;
  sessionState.set('signedOut');
  signOuts.postMessage(null);
  return null;
}

/** Records that the server no longer knows the session. */
export function sessionEnded(): void {
  if (sessionState.get() === 'signedIn') sessionState.set('ended');
}

/** Records that the server no longer accepts this address. The door says why, as it does for a new visitor. */
export function sessionRefused(): void {
  if (sessionState.get() === 'signedIn') sessionState.set('refused');
}
