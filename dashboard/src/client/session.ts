// Whether somebody is signed in. An API key is exchanged for a cookie that scripts cannot read; the key itself is not kept.

import { ownHeaders, sessionUrl } from './place.ts';
import type { Problem } from './problem.ts';
import { createStore } from './store.ts';

/** What is known of the session: `ended` is one that was, and is over; `refused` one whose address the server does not let in any more. */
export type SessionState = 'unknown' | 'signedOut' | 'signedIn' | 'ended' | 'refused';

export const sessionState = createStore<SessionState>('unknown');

/** Where a tab says that somebody has signed out: the session is that of all tabs, and none of them keeps anything. */
const signOuts = new BroadcastChannel('sallyport-sign-outs');
signOuts.onmessage = () => sessionState.set('signedOut');

/** What the server answers on the session with an error. */
interface Refusal {
  readonly error_code?: string;
  readonly msg?: string;
}

async function ask(method: string, body?: object): Promise<Response> {
  return fetch(sessionUrl, {
    method,
    headers: body === undefined ? ownHeaders : { ...ownHeaders, 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
}

const unreachable = 'The server cannot be reached. Check the connection, and try again.';

/** Reads why the server has refused. */
async function readRefusal(answer: Response): Promise<Problem> {
  const { error_code: code = 'INTERNAL', msg }: Refusal = await answer.json().catch(() => ({}));
  return { code, message: msg ?? `The server answered with ${answer.status}.`, field: null };
}

/** Finds out whether there is a session. Gives null, or why that cannot be told. */
export async function findSession(): Promise<Problem | null> {
  const answer = await ask('GET').catch(() => null);
  if (answer === null) return { code: 'UNREACHABLE', message: 'The server cannot be reached.', field: null };
  if (!answer.ok) return readRefusal(answer);
  const { signed_in: signedIn }: { signed_in: boolean } = await answer.json();
  const none = sessionState.get() === 'refused' ? 'ended' : 'signedOut';
  sessionState.set(signedIn ? 'signedIn' : none);
  return null;
}

/** Signs in with an API key. Gives null, or what is wrong in words for a person. */
export async function signIn(token: string): Promise<string | null> {
  const answer = await ask('POST', { token: token.trim() }).catch(() => null);
  if (answer === null) return unreachable;
  if (answer.ok) {
    sessionState.set('signedIn');
    return null;
  }
  if (answer.status === 401) return 'This is not a key of this server, or it was revoked or has expired.';
  return (await readRefusal(answer)).message;
}

/** Ends the session. Gives null, or why it goes on. */
export async function signOut(): Promise<string | null> {
  const answer = await ask('DELETE').catch(() => null);
  if (answer === null) return unreachable;
  // Who is not signed in has nothing to end.
  if (!answer.ok && answer.status !== 401) return (await readRefusal(answer)).message;
  sessionState.set('signedOut');
  signOuts.postMessage(null);
  return null;
}

/** Notes that the server does not know the session any more. */
export function sessionEnded(): void {
  if (sessionState.get() === 'signedIn') sessionState.set('ended');
}

/** Notes that the server does not let this address in any more: the door says why, as it does to whoever comes anew. */
export function sessionRefused(): void {
  if (sessionState.get() === 'signedIn') sessionState.set('refused');
}
