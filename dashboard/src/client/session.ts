// Whether somebody is signed in. An API key is exchanged for a cookie that scripts cannot read; the key itself is not kept.

import { ownHeaders, sessionUrl } from './place.ts';
import { createStore } from './store.ts';

/** What is known of the session: `ended` is one that was, and is over. */
export type SessionState = 'unknown' | 'signedOut' | 'signedIn' | 'ended';

export const sessionState = createStore<SessionState>('unknown');

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

/** Finds out whether there is a session. */
export async function findSession(): Promise<void> {
  const answer = await ask('GET');
  if (!answer.ok) throw new Error(`The server answered with ${answer.status}.`);
  const { signed_in: signedIn }: { signed_in: boolean } = await answer.json();
  sessionState.set(signedIn ? 'signedIn' : 'signedOut');
}

/** Signs in with an API key. Gives null, or what is wrong in words for a person. */
export async function signIn(token: string): Promise<string | null> {
  let answer: Response;
  try {
    answer = await ask('POST', { token: token.trim() });
  } catch {
    return 'The server cannot be reached. Check the connection, and try again.';
  }
  if (answer.ok) {
    sessionState.set('signedIn');
    return null;
  }
  const refusal: Refusal = await answer.json().catch(() => ({}));
  if (answer.status === 401) return 'This is not a key of this server, or it was revoked or has expired.';
  return refusal.msg ?? `The server answered with ${answer.status}.`;
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  await ask('DELETE').catch(() => undefined);
  sessionState.set('signedOut');
}

/** Notes that the server does not know the session any more. */
export function sessionEnded(): void {
  if (sessionState.get() === 'signedIn') sessionState.set('ended');
}
