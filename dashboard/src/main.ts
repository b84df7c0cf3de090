// Begins: who is signed in gets the dashboard, and everybody else the door.

import type { Begun } from './begin.ts';
import { dashboardPath } from './client/place.ts';
import type { Problem } from './client/problem.ts';
import { findSession, sessionState } from './client/session.ts';
import { pageAt } from './pages.ts';
import { drawBarred, drawDoor } from './shell/door.ts';
import './shell/theme.ts';
import './kit/base.css';

const found = document.getElementById('root');
if (found === null) throw new Error('index.html has no element with the id "root".');
const root = found;

/** What is said where the files of the dashboard cannot be had. */
const unloaded: Problem = {
  code: 'UNREACHABLE',
  message: 'The dashboard could not be loaded: the server cannot be reached, or has another version by now.',
  field: null,
};

/** Loads the dashboard and the page of the address, while the server is asked what it shows. Gives it, or why it cannot be had. */
function load(): Promise<Begun | Problem> {
  const page = pageAt(location.pathname.slice(dashboardPath.length) || '/');
  const begun = import('./begin.ts').then(({ begin }) => begin(page?.path));
  return Promise.all([begun, import('./app.tsx'), page?.load()]).then(
    ([session]) => session,
    () => unloaded,
  );
}

/** What is loaded already, before it is known whether there is a session; null where nothing is. */
let ahead: Promise<Begun | Problem> | null = null;
/** Leaves the dashboard; null while nobody is in it. */
let leave: (() => void) | null = null;
/** How often something else was shown: what was loaded for something before is not shown any more. */
let turn = 0;

/** Shows what belongs to the state of the session. */
function show(): void {
  leave?.();
  leave = null;
  turn += 1;
  const state = sessionState.get();
  if (state === 'signedIn') {
    void enter(ahead ?? load());
  } else if (state === 'unknown') {
    void find();
  } else {
    drawDoor(root, state === 'ended');
  }
  ahead = null;
}

/** Finds out whether there is a session: then its state changes. */
async function find(): Promise<void> {
  const problem = await findSession();
  if (problem === null) return;
  ahead = null;
  drawBarred(root, problem, find);
}

/** Goes in, once all of it is there. */
async function enter(loading: Promise<Begun | Problem>): Promise<void> {
  const mine = turn;
  const begun = await loading;
  if (!('live' in begun)) {
    if (mine === turn) drawBarred(root, begun, () => location.reload());
    return;
  }
  const { openDashboard } = await import('./app.tsx');
  if (mine === turn) leave = openDashboard(root, begun);
  else begun.live.stop();
}

sessionState.watch(show);
show();
// Who has the cookie of a session is most likely in it: nothing waits for the answer.
if (document.querySelector<HTMLMetaElement>('meta[name=session]')?.content === 'maybe') ahead = load();
