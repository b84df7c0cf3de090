// Begins: who is signed in gets the dashboard, and everybody else the door.

import type { Begun } from './begin.ts';
import { dashboardPath } from './client/place.ts';
import type { Problem } from './client/problem.ts';
import { findSession, sessionState } from './client/session.ts';
import { openAnew, openDoor, shutDoor } from './kit/door.ts';
import { isAnythingEntered } from './kit/unsaved.ts';
import { pageAt } from './pages.ts';
import { drawBarred, drawDoor, drawLoading } from './shell/door.ts';
import './shell/theme.ts';
import './kit/base.css';

/** What is said where the files of the dashboard cannot be had. */
const unloaded: Problem = {
  code: 'UNREACHABLE',
  message: 'The dashboard could not be loaded: the server cannot be reached, or has another version by now.',
  field: null,
};

/** Ends what was begun for a dashboard that nobody will see. */
async function drop(loading: Promise<Begun | Problem>): Promise<void> {
  const begun = await loading;
  if ('live' in begun) begun.live.stop();
}

/** Loads the dashboard and the page of the address, while the server is asked what it shows. Gives it, or why it cannot be had. */
function load(): Promise<Begun | Problem> {
  const page = pageAt(location.pathname.slice(dashboardPath.length));
  // Nothing waits for it here: where it cannot be had, the frame says so in its place.
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

/** What is loaded already, before it is known whether there is a session; null where nothing is. */
let ahead: Promise<Begun | Problem> | null = null;
/** The dashboard that somebody is in, or comes back to when the door opens; null while there is none. */
let inside: { readonly begun: Begun; readonly leave: () => void } | null = null;
/** Milliseconds for which what was entered and not saved outlives the end of its session: enough to fetch the key. */
const keepMs = 600_000;
let keeping: ReturnType<typeof setTimeout> | undefined;
/** How often something else was shown: what was loaded for something before is not shown any more. */
let turn = 0;

/** Shows what belongs to the state of the session. */
function show(): void {
  turn += 1;
  const loading = ahead;
  ahead = null;
  const state = sessionState.get();
  if (state === 'signedIn') {
    // Until it is there, what is shown stays: that it is being loaded, or the door.
    goIn(loading);
    return;
  }
  if (loading !== null) void drop(loading);
  shutDoor();
  // Who signs out leaves nothing behind. Whoever is put out may come back to what was entered.
  if (state !== 'signedOut' && isAnythingEntered()) keep();
  else leave();
  if (state === 'unknown' || state === 'refused') {
    drawLoading();
    void find();
  } else {
    drawDoor(state === 'ended');
  }
}

/** Keeps the dashboard behind the door, for a while. */
function keep(): void {
  inside?.begun.live.pause();
  clearTimeout(keeping);
  keeping = setTimeout(leave, keepMs);
}

/** Takes the dashboard away. */
function leave(): void {
  clearTimeout(keeping);
  inside?.leave();
  inside = null;
}

/** Finds out whether there is a session: then its state changes. */
async function find(): Promise<void> {
  const mine = turn;
  const problem = await findSession();
  if (problem === null || mine !== turn) return;
  if (ahead !== null) void drop(ahead);
  ahead = null;
  drawBarred(problem, find);
}

/** Goes in: back to what was left there, or anew. */
function goIn(loading: Promise<Begun | Problem> | null = null): void {
  if (inside !== null) void comeBack(inside.begun);
  else void enter(loading ?? load());
}

/** Goes in, once all of it is there. */
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

/** Goes back in to what was left there. It is taken away where somebody else has signed in: nothing of one account is for the next. */
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
    // It is somebody else, or it has taken too long.
    leave();
    void enter(load());
  }
}

sessionState.watch(show);
show();
// Who has the cookie of a session is most likely in it: nothing waits for the answer.
if (document.querySelector<HTMLMetaElement>('meta[name=session]')?.content === 'maybe') ahead = load();
