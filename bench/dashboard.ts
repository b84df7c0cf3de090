// Measures the wait when a page of the dashboard is opened for the first time, in headless Chromium on a processor slowed down four
// times, with nothing cached: the figures that Lighthouse has as well. Other builds can be measured in turn with this one.

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { CDPSession, Page } from 'puppeteer-core';
import { chromium, openBrowser, type Person } from '../test/support/browser.ts';
import { fillAccount } from './dashboard-account.ts';
import { type Finding, ratios, spreadOf } from './figures.ts';
import type { Place } from './places.ts';
import { root, type Server, startServer } from './servers.ts';
import { showFinding, table } from './tables.ts';

// Imported by a path that the compiler does not follow: it would check the whole dashboard again, as code for Node.
const { areas }: { areas: readonly { readonly pages: readonly { readonly path: string }[] }[] } = await import(
  join(root, 'dashboard/src/areas/areas.ts')
);

/** The pages of somebody who is signed in, by their paths below the dashboard. */
const paths = ['/', ...areas.flatMap(({ pages }) => pages.map(({ path }) => path)), '/ssh?tab=certificates'];

/** What stands for the page of who is not signed in. */
const door = 'Door';

/** Within how many milliseconds every page can be used, on an idle machine. */
const usableMsMax = 1_500;

/** How many times slower the processor seems to the page. */
const slowdown = 4;

/** Milliseconds without a change after which a page counts as settled. */
const restMs = 1_000;

/** The text above the table. */
const words = `Chromium without windows at ${slowdown} times slowed processor, with an empty cache, on the machine of the server, so that the network takes no
time. The account has 30 IP policies, one with 1,000 rules, 400 host certificates, 15 API keys, and one of everything else. The door
can be used when the field for the key has the focus, a page when it has its heading and nothing of it is still loading, the overview
when its pictures are there, too. Blocking time is what tasks take beyond 50 ms each; the bytes are those of all answers, compressed
as browsers take it on plain HTTP, and of what the server was asked. "Against" is the ratio to another build, whose pages are opened
in turn with those of this one: below 1, this one is quicker.`;

/** The figures that are measured of a page. */
const figures = {
  firstPaint: 'first contentful paint, ms',
  largestPaint: 'largest contentful paint, ms',
  usable: 'can be used, ms',
  blocking: 'total blocking time, ms',
  shift: 'layout shift',
  requests: 'requests',
  kilobytes: 'KB',
} as const;
type Figure = keyof typeof figures;
type Figures = Readonly<Record<Figure, number>>;

/** The page's notes about itself. */
interface Notes {
  firstPaint: number;
  largestPaint: number;
  blocking: number;
  shift: number;
  usable: number | null;
}

/**
 * Runs in the page before its own scripts, and notes what happens. `selector` is what makes the page usable, and `busy` what must
 * be gone.
 */
function watch(selector: string, busy: string): void {
  // The types of the DOM library lack `value` of a layout shift (https://wicg.github.io/layout-instability/).
  type Entry = PerformanceEntry & { readonly value?: number };
  const notes: Notes = { firstPaint: 0, largestPaint: 0, blocking: 0, shift: 0, usable: null };
  Object.assign(window, { notes });
  const each = (type: string, note: (entry: Entry) => void) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) note(entry);
    }).observe({ type, buffered: true });
  each('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') notes.firstPaint = startTime;
  });
  each('largest-contentful-paint', ({ startTime }) => {
    notes.largestPaint = startTime;
  });
  each('longtask', ({ duration }) => {
    notes.blocking += duration - 50;
  });
  each('layout-shift', ({ value = 0 }) => {
    notes.shift += value;
  });
  const look = () => {
    const isUsable = document.querySelector(selector) !== null && document.querySelector(busy) === null;
    notes.usable = isUsable ? (notes.usable ?? performance.now()) : null;
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });
  document.addEventListener('focusin', look);
}

/** Waits until a page has requested and drawn all that it will by itself. */
async function settled(page: Page): Promise<Notes> {
  await page.waitForFunction(
    (ms) => {
      // `watch` has defined the notes there.
      const { usable } = (window as unknown as { notes: Notes }).notes;
      return usable !== null && performance.now() - usable > ms;
    },
    {},
    restMs,
  );
  return page.evaluate(() => (window as unknown as { notes: Notes }).notes);
}

/** Counts the requests of a page and the bytes of their answers. */
async function counting(session: CDPSession): Promise<{ requests: number; bytes: number }> {
  const counts = { requests: 0, bytes: 0 };
  await session.send('Network.enable');
  session.on('Network.requestWillBeSent', () => {
    counts.requests += 1;
  });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    counts.bytes += encodedDataLength;
  });
  return counts;
}

/** Opens a page as a person whose browser has never seen it. Returns null if the build has no such page. */
async function load(person: Person, url: string, path: string, usable: string): Promise<Figures | null> {
  // A path outside the dashboard: the browser starts, and the page is slowed down, before the dashboard is requested.
  const { page } = await person.open('/healthz', { url });
  const session = await page.createCDPSession();
  // esbuild, with which `tsx` runs this file, names functions with a helper that the page does not have.
  await page.evaluateOnNewDocument('globalThis.__name = (named) => named');
  await page.evaluateOnNewDocument(watch, usable, '[aria-label=Loading]');
  const counts = await counting(session);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.goto(new URL(`/dashboard${path}`, page.url()).href);
  const { firstPaint, largestPaint, blocking, shift, usable: usableAt } = await settled(page);
  const isMissing = await page.evaluate(() => document.querySelector('h1')?.textContent === 'No such page');
  await page.browserContext().close();
  if (isMissing) return null;
  const { requests, bytes } = counts;
  return {
    firstPaint,
    largestPaint,
    usable: usableAt ?? Number.NaN,
    blocking,
    shift,
    requests,
    kilobytes: bytes / 1000,
  };
}

/** A build that is running. */
interface Running {
  readonly name: string;
  readonly url: string;
  /** Of the session of somebody who is signed in. */
  readonly cookie: string;
  /** Ids for the pages that show an object, by their paths. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Starts the build of a directory, adds it to those that must be stopped, fills its account, and signs in. */
async function start(place: Place, directory: string, started: Server[]): Promise<Running> {
  const token = randomBytes(24).toString('hex');
  const server = await startServer(process.execPath, [join(directory, 'dist/main.js')], {
    PORT: '0',
    DATABASE_URL: await place.create(`dashboard${started.length}`),
    BOOTSTRAP_API_KEY: token,
    RATE_LIMIT: '100000/60',
    LOG_LEVEL: 'error',
  });
  started.push(server);
  const { stdout } = spawnSync('git', ['-C', directory, 'rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' });
  const ids = await fillAccount(server.url, token);
  const answer = await fetch(`${server.url}/dashboard/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Sallyport-Dashboard': '1' },
    body: JSON.stringify({ token }),
  });
  const [cookie] = answer.headers.getSetCookie();
  if (cookie === undefined) throw new Error(`Nobody could sign in: ${answer.status}`);
  return { name: `\`${stdout.trim()}\``, url: server.url, cookie: cookie.split(';')[0] ?? '', ids };
}

/** A page and what it took: for each build, in each round. A build that does not have the page has no figures. */
interface Opened {
  readonly path: string;
  readonly loads: readonly Figures[][];
}

/** Opens the door and every page of each build, round by round, each in a browser that has kept nothing. */
async function openAll(builds: readonly Running[], rounds: number, log: (message: string) => void): Promise<Opened[]> {
  const browser = await openBrowser(builds[0]?.url ?? '');
  const opened = [door, ...paths].map((path) => ({ path, loads: builds.map((): Figures[] => []) }));
  const openOne = async (path: string, { url, cookie, ids }: Running) => {
    const person = await browser.newPerson();
    if (path === door) return load(person, url, '/', 'input[type=password]:focus');
    await person.setCookie(cookie);
    const usable = path === '/' ? 'main figure svg title' : 'main h1';
    return load(person, url, path.replace(':id', ids.get(path) || 'none'), usable);
  };
  try {
    for (let round = 0; round <= rounds; round += 1) {
      log(round === 0 ? 'Warming up.' : `Round ${round} of ${rounds}.`);
      for (const { path, loads } of opened) {
        // Another build is the first in every round.
        for (const turn of builds.keys()) {
          const index = (turn + round) % builds.length;
          const build = builds[index];
          const figuresOfLoad = build === undefined ? null : await openOne(path, build);
          if (round > 0 && figuresOfLoad !== null) loads[index]?.push(figuresOfLoad);
        }
      }
    }
  } finally {
    await browser.close();
  }
  return opened;
}

/** Writes the figures of a build, and their ratio to those of each other build, round by round. */
function cellsOf([own = [], ...others]: readonly (readonly number[])[], goal: Finding['goal'] = null): string[] {
  return [
    showFinding({ what: '', spread: spreadOf(own), goal }),
    ...others.map((figuresOfOther) => {
      const spread = spreadOf(ratios(own, figuresOfOther));
      return Number.isFinite(spread.median) ? showFinding({ what: '', spread, goal: null }) : '';
    }),
  ];
}

/** Returns a figure of a page: for each build, in each round. */
const figuresOf = ({ loads }: Opened, figure: Figure) => loads.map((each) => each.map((one) => one[figure]));

/**
 * Returns what the pages take together until they can be used, those that a former build lacks left out: for each build, in each
 * round.
 */
function sumOf(opened: readonly Opened[]): number[][] {
  const common = opened
    .filter(({ loads }) => loads.every((each) => each.length > 0))
    .map((page) => figuresOf(page, 'usable'));
  return (common[0] ?? []).map((rounds, build) =>
    rounds.map((_, round) => common.reduce((sum, page) => sum + (page[build]?.[round] ?? Number.NaN), 0)),
  );
}

/**
 * Measures the first load of every page.
 *
 * @param against directories with other builds, each measured in turn with this one
 * @returns the section, and what has a goal
 */
export async function measureDashboard(
  place: Place,
  rounds: number,
  against: readonly string[],
  log: (message: string) => void,
): Promise<{ section: string; findings: readonly Finding[] }> {
  if (chromium === undefined) throw new Error('There is no Chromium in /usr/bin to open the dashboard with.');
  const started: Server[] = [];
  try {
    const builds: Running[] = [];
    for (const directory of [root, ...against]) builds.push(await start(place, directory, started));
    const opened = await openAll(builds, rounds, log);
    const heads = ['This build', ...builds.slice(1).map(({ name }) => `Against ${name}`)];
    const whole = opened
      .filter(({ path }) => path === door || path === '/')
      // Safe cast: `figures` has exactly these keys.
      .flatMap((page) => (Object.keys(figures) as Figure[]).map((figure) => ({ page, figure })))
      .map(({ page, figure }) => [
        `${page.path === door ? door : 'Overview'}: ${figures[figure]}`,
        ...cellsOf(figuresOf(page, figure)),
      ]);
    const goal = { atMost: usableMsMax };
    const usable = opened.map((page) => [page.path, ...cellsOf(figuresOf(page, 'usable'), goal)]);
    const findings = opened.map((page) => ({
      what: `${page.path}: ${figures.usable}`,
      spread: spreadOf(figuresOf(page, 'usable')[0] ?? []),
      goal,
    }));
    const section = [
      `## The first load\n\n${words}`,
      table(['What', ...heads], whole),
      `## Until every page can be used\n\nIn milliseconds, loaded in the same way.`,
      table(['Page', ...heads], [...usable, ['All that each build has, together', ...cellsOf(sumOf(opened))]]),
    ].join('\n\n');
    return { section, findings };
  } finally {
    for (const server of started) await server.stop();
  }
}
