// A real browser that reaches nothing but the service under test.

import { existsSync } from 'node:fs';
import puppeteer, { type Page } from 'puppeteer-core';

/** Path of Chromium or Chrome; undefined where there is none. */
export const chromium = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
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
  return {
    origin: originOf(serviceUrl),
    /** Opens a tab. Tabs share what the browser keeps for good, as those of one person do. */
    async open(path: string, view: View = {}): Promise<WatchedPage> {
      const { width = 1280, scheme = 'light', url = serviceUrl, headers = {} } = view;
      const origin = originOf(url);
      const page = await browser.newPage();
      const isPhone = width < 600;
      await page.setViewport({ width, height: 900, isMobile: isPhone, hasTouch: isPhone });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
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
    close: () => browser.close(),
  };
}

const host = 'sallyport.lan';
