// Measures the wait when the dashboard is opened for the first time, in headless Chromium on a processor slowed down four times,
// with nothing cached: the figures that Lighthouse has as well. None of this is a goal: what must hold is how much is loaded, which
// tests assert.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { CDPSession, Page } from 'puppeteer-core';
import { chromium, openBrowser, type Person } from '../test/support/browser.ts';
import { type Finding, spreadOf } from './figures.ts';
import type { Place } from './places.ts';
import { root, startServer } from './servers.ts';

/** How many times slower the processor seems to the page. */
const slowdown = 4;

/** Milliseconds without a change after which a page counts as settled. */
const restMs = 1_000;

/** The text above the table. */
export const dashboardWords = `Chromium without windows at ${slowdown} times slowed processor, with an empty cache, on the machine of the server, so that the network takes no
time. The door can be used when the field for the key has the focus, the overview when all that it shows is there, the pictures of the last
hour included. Blocking time is what tasks take beyond 50 ms each; the bytes are those of all answers, compressed as browsers take it on
plain HTTP, and of what the server was asked.`;

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

/** Opens a page as a person whose browser has never seen it. */
async function load(person: Person, path: string, usable: string): Promise<Figures> {
  // A path outside the dashboard: the browser starts, and the page is slowed down, before the dashboard is requested.
  const { page } = await person.open('/healthz');
  const session = await page.createCDPSession();
  // esbuild, with which `tsx` runs this file, names functions with a helper that the page does not have.
  await page.evaluateOnNewDocument('globalThis.__name = (named) => named');
  await page.evaluateOnNewDocument(watch, usable, '[aria-label=Loading]');
  const counts = await counting(session);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.goto(new URL(path, page.url()).href);
  const { firstPaint, largestPaint, blocking, shift, usable: usableAt } = await settled(page);
  await page.close();
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

/** Signs in. Returns the session cookie. */
async function signIn(url: string, token: string): Promise<string> {
  const answer = await fetch(`${url}/dashboard/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Sallyport-Dashboard': '1' },
    body: JSON.stringify({ token }),
  });
  const [cookie] = answer.headers.getSetCookie();
  if (cookie === undefined) throw new Error(`Nobody could sign in: ${answer.status}`);
  return cookie.split(';')[0] ?? '';
}

/** Measures the door and the overview in turn, each in a browser that has kept nothing. */
export async function measureDashboard(
  place: Place,
  rounds: number,
  log: (message: string) => void,
): Promise<Finding[]> {
  if (chromium === undefined) throw new Error('There is no Chromium in /usr/bin to open the dashboard with.');
  const token = randomBytes(24).toString('hex');
  const server = await startServer(process.execPath, [join(root, 'dist/main.js')], {
    PORT: '0',
    DATABASE_URL: await place.create('dashboard'),
    BOOTSTRAP_API_KEY: token,
    LOG_LEVEL: 'error',
  });
  const browser = await openBrowser(server.url);
  try {
    const cookie = await signIn(server.url, token);
    const pages = [
      { name: 'Door', usable: 'input[type=password]:focus', isSignedIn: false },
      { name: 'Overview', usable: 'main figure svg title', isSignedIn: true },
    ];
    const measured = pages.map((page) => ({ ...page, loads: [] as Figures[] }));
    for (let round = 0; round <= rounds; round += 1) {
      log(round === 0 ? 'Warming up.' : `Round ${round} of ${rounds}.`);
      for (const { usable, isSignedIn, loads } of measured) {
        const person = await browser.newPerson();
        if (isSignedIn) await person.setCookie(cookie);
        const figuresOfLoad = await load(person, '/dashboard/', usable);
        if (round > 0) loads.push(figuresOfLoad);
      }
    }
    return measured.flatMap(({ name, loads }) =>
      // Safe cast: `figures` above has exactly these keys.
      (Object.keys(figures) as Figure[]).map((figure) => ({
        what: `${name}: ${figures[figure]}`,
        spread: spreadOf(loads.map((each) => each[figure])),
        goal: null,
      })),
    );
  } finally {
    await browser.close();
    await server.stop();
  }
}
