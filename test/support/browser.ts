// A real browser that reaches nothing but the service under test.

import { existsSync } from 'node:fs';
import puppeteer, { type BrowserContext, type Page, TimeoutError } from 'puppeteer-core';

/**
 * Path of Chromium or Chrome; undefined where there is none. The first is the same engine without windows, which takes two thirds of the
 * processor time (measured: 22 instead of 33 s for the tests of lists).
 */
export const chromium = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);

/** A page, with what went wrong on it. */
export interface WatchedPage {
  readonly page: Page;
  /** Requests to other hosts, errors of scripts, and errors in the console, such as violations of the policy. */
  readonly problems: string[];
}

/** How a page is looked at. */
export interface View {
  /** Width of the window; a phone below 600. */
  readonly width?: number;
  /** The colours that the person prefers. */
  readonly scheme?: 'light' | 'dark';
  /** Where the service runs, if not where most pages come from. */
  readonly url?: string;
  /** What a proxy would add to requests. */
  readonly headers?: Record<string, string>;
}

/** What one person has open: tabs share what the browser keeps for good, and nothing with those of another person. */
export interface Person {
  /** Opens a tab. */
  open(path: string, view?: View): Promise<WatchedPage>;
  /** Gives the browser a cookie of the service, such as `name=value`. */
  setCookie(pair: string): Promise<void>;
}

/** Colours that somebody prefers, and no motion, amid which nothing can be measured. */
export function mediaOf(scheme: 'light' | 'dark') {
  return [
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ];
}

/**
 * Opens pages in one browser. The service is known to it under a name that is not this machine's own, so that it is
 * treated as any server on plain HTTP; no other name can be resolved.
 */
export async function openBrowser(serviceUrl: string) {
  const browser = await puppeteer.launch({
    executablePath: chromium ?? '',
    args: [
      // Chromium has no sandbox for root, as which tests often run in a container.
      '--no-sandbox',
      // Containers give it too little shared memory.
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
      const isPhone = width < 600;
      await page.setViewport({ width, height: 900, isMobile: isPhone, hasTouch: isPhone });
      await page.emulateMediaFeatures(mediaOf(scheme));
      await page.setExtraHTTPHeaders(headers);
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
    /** Has another person sit down, of whom the browser knows nothing yet. */
    newPerson: async () => personIn(await browser.createBrowserContext()),
    close: () => browser.close(),
  };
}

/** Tries of one click: a page that is still moving after so many never comes to rest. */
const triesMax = 5;
/** Milliseconds for one of them, after which what is to be clicked is looked for anew: it may have been drawn anew, too. */
const tryMsMax = 6_000;

/**
 * Clicks with the mouse on what a selector finds, and again where that has moved away meanwhile, as a person would: what a page is still
 * reading moves its rows, also between the press and the release (seen, under load). Throws Error where something else lies above it.
 */
export async function clickOn(page: Page, selector: string): Promise<void> {
  const target = page.locator(selector);
  let problem: unknown;
  for (let tries = 0; tries < triesMax; tries++) {
    const element = await target.waitHandle();
    try {
      const watching = await element.evaluateHandle(watchClicks);
      // On this very element: another one that the selector finds by now is not watched.
      await element.asLocator().setTimeout(tryMsMax).click();
      // Where the page itself has gone, so did the click.
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

/** Watches, in a page, what the next press meets, and whether an element is clicked. */
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
    /** What has gone from the page was clicked: nothing else takes it away so soon. */
    seen: () => ({ isHit: isHit || !element.isConnected, above }),
  };
}

const host = 'sallyport.lan';
