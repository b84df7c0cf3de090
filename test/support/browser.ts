// A real browser that can reach only the service under test.

import { existsSync } from 'node:fs';
import puppeteer, { type BrowserContext, type Page, TimeoutError } from 'puppeteer-core';
import { describe, inject } from 'vitest';

/**
 * Path of Chromium or Chrome; undefined if there is none. The first candidate is the same engine without windows, which takes two
 * thirds of the processor time (measured: 22 instead of 33 s for the tests of lists).
 */
export const chromium = programOf(
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
);

/**
 * The engine that the tests of the dashboard are run in, and the path of its browser; undefined if there is none. The benchmark, which
 * is no test, measures in Chromium.
 */
export const engine = process.env.VITEST === undefined ? 'chromium' : inject('browser');
export const browserPath = engine === 'chromium' ? chromium : programOf('firefox-esr', 'firefox');

/** Groups tests of a subject in the browser. They are skipped where there is none, and their title says so. */
export function describeInBrowser(subject: string, tests: () => void): void {
  const isThere = browserPath !== undefined;
  describe.skipIf(!isThere)(isThere ? subject : `${subject}: SKIPPED, no ${engine} in /usr/bin`, tests);
}

/** Returns the path of the first of these programs that is installed. */
function programOf(...names: readonly string[]): string | undefined {
  return names.map((name) => `/usr/bin/${name}`).find(existsSync);
}

/** A page, with the problems found on it. */
export interface WatchedPage {
  readonly page: Page;
  /** Requests to other hosts, script errors, and errors in the console, such as violations of the content security policy. */
  readonly problems: string[];
}

/** How to open a page. */
export interface View {
  /** Width of the window; below 600, a phone. */
  readonly width?: number;
  /** The colour scheme that the person prefers. */
  readonly scheme?: 'light' | 'dark';
  /** URL of the service, if it differs from that of most pages. */
  readonly url?: string;
  /** Headers that a proxy would add to requests. */
  readonly headers?: Record<string, string>;
}

/** One person at the browser: a person's tabs share cookies and storage, and share nothing with the tabs of another person. */
export interface Person {
  /** Opens a tab. */
  open(path: string, view?: View): Promise<WatchedPage>;
  /** Stores a cookie of the service in the browser, given as `name=value`. */
  setCookie(pair: string): Promise<void>;
}

/**
 * Returns the media features for a preferred colour scheme, and for no motion, because nothing can be measured while things move.
 */
export function mediaOf(scheme: 'light' | 'dark') {
  return [
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ];
}

/**
 * Opens pages in one browser. The browser knows the service under a name other than this machine's own, so that it is treated like
 * any server on plain HTTP; no other name can be resolved. Files are saved in the folder `downloadPath`.
 */
export async function openBrowser(serviceUrl: string, downloadPath = '/dev/null') {
  const browser = await puppeteer.launch({
    browser: engine === 'chromium' ? 'chrome' : 'firefox',
    executablePath: browserPath ?? '',
    ...(engine === 'chromium' && { downloadBehavior: { policy: 'allow', downloadPath } }),
    extraPrefsFirefox: {
      'network.dns.forceResolve': '127.0.0.1',
      'ui.prefersReducedMotion': 1,
      'browser.download.folderList': 2,
      // The panel would take the focus from the page.
      'browser.download.alwaysOpenPanel': false,
      'browser.download.dir': downloadPath,
    },
    args:
      engine === 'firefox'
        ? []
        : [
            // Chromium has no sandbox for root, and tests in a container often run as root.
            '--no-sandbox',
            // Containers provide too little shared memory.
            '--disable-dev-shm-usage',
            '--disable-background-networking',
            `--host-resolver-rules=MAP ${host} 127.0.0.1, MAP * ~NOTFOUND`,
          ],
  });
  const originOf = (url: string) => `http://${host}:${new URL(url).port}`;
  const personIn = (context: BrowserContext): Person => ({
    async open(path, view = {}) {
      const { width = 1280, scheme = 'light', url = serviceUrl, headers = {} } = view;
      const origin = originOf(url);
      const page = await context.newPage();
      page.setDefaultTimeout(waitMsMax);
      // Of this, Firefox emulates the size alone.
      if (engine === 'firefox') await page.setViewport({ width, height: 900 });
      else {
        const isPhone = width < 600;
        await page.setViewport({ width, height: 900, isMobile: isPhone, hasTouch: isPhone });
        await page.emulateMediaFeatures(mediaOf(scheme));
        await page.setExtraHTTPHeaders(headers);
        // A browser without a window may take a page for one that nobody looks at, where the Tab key leads nowhere.
        await page.emulateFocusedPage(true);
      }
      const problems: string[] = [];
      page.on('request', (request) => {
        const url = new URL(request.url());
        const isOurs = url.origin === origin || url.protocol === 'data:' || url.href.startsWith(`blob:${origin}`);
        if (!isOurs) problems.push(`request to ${url.href}`);
      });
      page.on('pageerror', (error) => problems.push(`script: ${String(error)}`));
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(`console: ${message.text()}`);
      });
      await page.goto(`${origin}${path}`, { waitUntil: 'load' });
      return { page, problems };
    },
    async setCookie(pair) {
      const [name = '', value = ''] = pair.split('=');
      await context.setCookie({ name, value, domain: host, path: '/', httpOnly: true, sameSite: 'Strict' });
    },
  });
  return {
    origin: originOf(serviceUrl),
    ...personIn(browser.defaultBrowserContext()),
    /** Adds another person, of whom the browser knows nothing yet. */
    newPerson: async () => personIn(await browser.createBrowserContext()),
    close: () => browser.close(),
  };
}

/** Milliseconds after which a page has failed: on a busy machine, one that works may take much longer than puppeteer waits by itself. */
const waitMsMax = 120_000;

/** Attempts at one click: a page that is still moving after that many never comes to rest. */
const triesMax = 5;
/**
 * Milliseconds for one attempt, after which the element is looked up again: it may have been replaced when the page was redrawn.
 */
const tryMsMax = 6_000;

/**
 * Clicks with the mouse on the element that a selector finds, and retries if the element has moved away, as a person would: while
 * data is loading, the rows of a page move, even between press and release (seen under load). Throws Error if something else covers
 * the element.
 */
export async function clickOn(page: Page, selector: string): Promise<void> {
  const target = page.locator(selector);
  let problem: unknown;
  for (let tries = 0; tries < triesMax; tries++) {
    const element = await target.waitHandle();
    try {
      const watching = await element.evaluateHandle(watchClicks);
      // Clicks this very element: if the selector finds another one by now, that one is not watched.
      await element.asLocator().setTimeout(tryMsMax).click();
      // If the page itself is gone, the click has taken effect.
      const { isHit, above } = await watching
        .evaluate(({ seen }) => seen())
        .catch(() => ({ isHit: true, above: null }));
      if (isHit) return;
      if (above !== null) throw new Error(`${above} lies above it.`);
      problem = 'It was not where the mouse was pressed, or not any more when that was released.';
    } catch (error) {
      problem = error;
      if (!(error instanceof TimeoutError)) break;
    }
    process.stderr.write(`A click on ${selector} has missed: ${problem}\n`);
  }
  throw new Error(`${selector} could not be clicked.`, { cause: problem });
}

/** Runs in a page: watches what the next press hits, and whether an element is clicked. */
function watchClicks(element: Element) {
  let isHit = false;
  let above: string | null = null;
  element.addEventListener('click', () => (isHit = true), { capture: true, once: true });
  const pressed = ({ clientX, clientY, target }: PointerEvent) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const isThere = left <= clientX && clientX <= right && top <= clientY && clientY <= bottom;
    if (isThere && target instanceof Element && !element.contains(target)) above = target.outerHTML.slice(0, 200);
  };
  addEventListener('pointerdown', pressed, { capture: true, once: true });
  return {
    /** An element that is gone from the page was clicked: nothing else removes it so soon. */
    seen: () => ({ isHit: isHit || !element.isConnected, above }),
  };
}

const host = 'sallyport.lan';
