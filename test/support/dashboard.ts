// The dashboard as a person meets it: the built service in a process of its own, and a browser at a name of the local network.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import axe from 'axe-core';
import type { Page } from 'puppeteer-core';
import { expect } from 'vitest';
import { apiKey, type Environment, programFile, rest } from '../process/support.ts';
import { openBrowser, type View, type WatchedPage } from './browser.ts';

/** A service with somebody signed in to its dashboard. */
export interface Dashboard {
  readonly server: { readonly url: string; readonly child: ChildProcess };
  /** A key that may do everything: the one of the first tab's session. */
  readonly key: string;
  /** Calls the REST surface; gives the body. Fails where the answer is an error. */
  call(method: string, path: string, body?: object): Promise<Record<string, unknown> & { readonly id: string }>;
  /** Opens a page of the dashboard in a new tab of the person who is signed in, and waits until its title is there. */
  open(path: string, view?: View): Promise<WatchedPage>;
  /** The same for another person, who signs in with a key of his own. */
  openAs(token: string, path: string, view?: View): Promise<WatchedPage>;
  /** Opens a browser in which nobody is signed in. */
  newBrowser(): Promise<Browser>;
  /** The browser of the person who is signed in. Cookies are of a host: so is the session, on every port. */
  readonly browser: Browser;
  /** Asks GraphQL with the key. */
  graphql(query: string, variables?: object): Promise<unknown>;
  close(): Promise<void>;
}

type Browser = Awaited<ReturnType<typeof openBrowser>>;

/** Starts the built service on a database of its own; it is for a whole file of tests, which ends it. */
async function startBuilt(environment: Environment) {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-dashboard-'));
  const child = spawn(process.execPath, [programFile('dist/main.js')], {
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      DATABASE_URL: `file:${join(directory, 'test.db')}`,
      BOOTSTRAP_API_KEY: apiKey,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    const url = /^Sallyport is listening on (\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    // What it prints from here on is read by nobody, and must not stop it.
    child.stdout.resume();
    return {
      url,
      child,
      async end() {
        child.kill('SIGTERM');
        await ended;
        rmSync(directory, { recursive: true });
      },
    };
  }
  throw new Error('The service ended before it listened.');
}

/** Starts a service and a browser, and signs in. */
export async function startDashboard(environment: Environment = {}): Promise<Dashboard> {
  const server = await startBuilt(environment);
  const browser = await openBrowser(server.url);
  const others: Browser[] = [];
  const newBrowser = async () => {
    const other = await openBrowser(server.url);
    others.push(other);
    return other;
  };
  await signIn(await browser.open('/dashboard/'), apiKey);
  const openIn = async (at: Browser, path: string, view: View = {}) => {
    const watched = await at.open(`/dashboard${path}`, view);
    await watched.page.waitForSelector('main h1');
    return watched;
  };
  return {
    server,
    key: apiKey,
    async call(method, path, body) {
      const answer = await rest(server.url, method, path, body);
      expect([method, path, answer.status < 300]).toEqual([method, path, true]);
      return answer.json();
    },
    browser,
    newBrowser,
    async graphql(query, variables = {}) {
      const answer = await (await rest(server.url, 'POST', '/graphql', { query, variables })).json();
      expect(answer.errors).toBeUndefined();
      return answer.data;
    },
    open: (path, view) => openIn(browser, path, view),
    async openAs(token, path, view) {
      const other = await newBrowser();
      await signIn(await other.open('/dashboard/'), token);
      return openIn(other, path, view);
    },
    async close() {
      for (const each of [browser, ...others]) await each.close();
      await server.end();
    },
  };
}

/** Signs in as a person does, by keyboard: the field has the focus. */
async function signIn({ page }: WatchedPage, token: string): Promise<void> {
  await page.waitForSelector('input[type=password]:focus');
  await page.keyboard.type(token);
  await page.keyboard.press('Enter');
  await page.waitForSelector('nav[aria-label=Pages]');
}

/** What axe finds on a page, by rule and place; nothing where all is well (WCAG 2.2 AA and best practices). */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    // `axe.source` has just defined it there.
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
    );
  });
}

/** Waits until a text can be read somewhere on a page. */
export async function seeText(page: Page, text: string): Promise<void> {
  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden cannot be read.
  await page.waitForFunction((wanted) => document.body.innerText.includes(wanted), {}, text);
}

/** Presses Tab until what has the focus has a name, as a person looks for it by keyboard. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let pressed = 0; pressed < 80; pressed += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement: element } = document;
      const label =
        element instanceof HTMLInputElement ||
        element instanceof HTMLTextAreaElement ||
        element instanceof HTMLSelectElement
          ? element.labels?.[0]?.textContent
          : null;
      return (element?.ariaLabel ?? label ?? element?.textContent ?? '').trim();
    });
    if (focused === name) return;
  }
  expect.fail(`Nothing with the name "${name}" was reached by the Tab key.`);
}
