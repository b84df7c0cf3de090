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
  const origin = `http://${host}:${new URL(serviceUrl).port}`;
  return {
    origin,
    async open(path: string): Promise<WatchedPage> {
      const page = await browser.newPage();
      await page.setViewport({ width: 1280, height: 900 });
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
