// Begins: who is signed in gets the dashboard, and everybody else the door.

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
  if (state === 'unknown') void find();
  else if (state === 'signedIn') void enter();
  else drawDoor(root, state === 'ended');
}

/** Finds out whether there is a session: then its state changes. */
async function find(): Promise<void> {
  const problem = await findSession();
  if (problem !== null) drawBarred(root, problem, find);
}

/** What is said where the files of the dashboard cannot be had. */
const unloaded: Problem = {
  code: 'UNREACHABLE',
  message: 'The dashboard could not be loaded: the server cannot be reached, or has another version by now.',
  field: null,
};

/** Loads the dashboard and the page of the address, while the server is asked who one is. */
async function enter(): Promise<void> {
  const mine = turn;
  const page = pageAt(location.pathname.slice(dashboardPath.length));
  const loading = Promise.all([
    import('./app.tsx'),
    import('./client/begin.ts').then(({ begin }) => begin()),
    page?.load(),
  ]);
  const [app, begun] = await loading.catch(() => [null, unloaded] as const);
  if (mine !== turn) {
    if ('live' in begun) begun.live.stop();
  } else if (app === null || 'code' in begun) {
    drawBarred(root, 'code' in begun ? begun : unloaded, () => location.reload());
  } else {
    leave = app.openDashboard(root, begun);
  }
}

sessionState.watch(show);
show();
