// Entry point: shows the dashboard to a signed-in user, and the door (the sign-in screen, kit/door.ts) to anyone else.

import type { Begun } from './begin.ts';
import type { Problem } from './client/problem.ts';
import { dashboardPath } from './client/server.ts';
import { findSession, sessionState } from './client/session.ts';
import { openAnew, openDoor, shutDoor } from './kit/door.ts';
import { isAnythingEntered } from './kit/unsaved.ts';
import { pageAt } from './pages.ts';
import { drawBarred, drawDoor, drawLoading } from './shell/door.ts';
import './shell/theme.ts';
import './kit/base.css';

/** Shown if the files of the dashboard cannot be loaded. */
const unloaded: Problem = {
  code: 'UNREACHABLE',
  message: 'The dashboard could not be loaded: the server cannot be reached, or has another version by now.',
  field: null,
};

/** Stops the session of a dashboard that will not be shown. */
async function drop(loading: Promise<Begun | Problem>): Promise<void> {
  const begun = await loading;
  if ('live' in begun) begun.live.stop();
}

/** Loads the dashboard and the page at the address, and queries its data meanwhile. Returns the session, or the problem. */
function load(): Promise<Begun | Problem> {
  const page = pageAt(location.pathname.slice(dashboardPath.length));
  // Not awaited here: if the page cannot be loaded, the frame says so in its place.
  page?.load().catch(() => undefined);
  const begun = import('./begin.ts').then(({ begin }) => begin(page?.path)).catch(() => unloaded);
  return import('./app.tsx').then(
    ({ loadPage }) => {
      loadPage(page?.path);
      return begun;
    },
    () => {
      void drop(begun);
      return unloaded;
    },
  );
}

/** The dashboard that is being loaded before it is known whether there is a session; null if none is. */
let ahead: Promise<Begun | Problem> | null = null;
/** The open dashboard, or the one kept behind the door; null if there is none. */
let inside: { readonly begun: Begun; readonly leave: () => void } | null = null;
/** Milliseconds for which unsaved input outlives the end of its session: enough time to fetch the key. */
const keepMs = 600_000;
let keeping: ReturnType<typeof setTimeout> | undefined;
/** Number of times `show` has run. Anything loaded for an earlier turn is no longer shown. */
let turn = 0;

/** Shows the screen for the current state of the session. */
function show(): void {
  turn += 1;
  const loading = ahead;
  ahead = null;
  const state = sessionState.get();
  if (state === 'signedIn') {
    // Until the dashboard has loaded, the current screen stays: the loading indicator or the door.
    goIn(loading);
    return;
  }
  if (loading !== null) void drop(loading);
  shutDoor();
  // Signing out leaves nothing behind. After any other end of a session, the user may come back to unsaved input.
  if (state !== 'signedOut' && isAnythingEntered()) keep();
  else leave();
  if (state === 'unknown' || state === 'refused') {
    drawLoading();
    void find();
  } else {
    drawDoor(state === 'ended');
  }
}

/** Keeps the dashboard behind the door for `keepMs`. */
function keep(): void {
  inside?.begun.live.pause();
  clearTimeout(keeping);
  keeping = setTimeout(leave, keepMs);
}

/** Removes the dashboard. */
function leave(): void {
  clearTimeout(keeping);
  inside?.leave();
  inside = null;
}

/** Asks the server whether there is a session, which changes the session state. Shows the problem if that fails. */
async function find(): Promise<void> {
  const mine = turn;
  const problem = await findSession();
  if (problem === null || mine !== turn) return;
  if (ahead !== null) void drop(ahead);
  ahead = null;
  drawBarred(problem, find);
}

/** Returns to the dashboard kept behind the door, or opens a new one. */
function goIn(loading: Promise<Begun | Problem> | null = null): void {
  if (inside !== null) void comeBack(inside.begun);
  else void enter(loading ?? load());
}

/** Opens a dashboard once it has loaded. */
async function enter(loading: Promise<Begun | Problem>): Promise<void> {
  const mine = turn;
  const begun = await loading;
  if (!('live' in begun)) {
    if (mine === turn) drawBarred(begun, () => location.reload());
    return;
  }
  const { openDashboard } = await import('./app.tsx');
  if (mine !== turn) return begun.live.stop();
  openAnew();
  inside = { begun, leave: openDashboard(begun) };
}

/** Returns to the dashboard kept behind the door, or replaces it if someone else has signed in: accounts share nothing. */
async function comeBack(begun: Begun): Promise<void> {
  const mine = turn;
  const isSame = await begun.isSame();
  if (mine !== turn) return;
  if (typeof isSame === 'object') {
    drawBarred(isSame, goIn);
  } else if (isSame && inside?.begun === begun) {
    clearTimeout(keeping);
    openDoor();
    begun.live.resume();
  } else {
    // Someone else has signed in, or the dashboard was dropped meanwhile because `keepMs` had passed.
    leave();
    void enter(load());
  }
}

sessionState.watch(show);
show();
// A browser that sent a session cookie most likely has a session, so loading does not wait for the answer.
if (document.querySelector<HTMLMetaElement>('meta[name=session]')?.content === 'maybe') ahead = load();
