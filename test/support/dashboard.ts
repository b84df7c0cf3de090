// The dashboard as a person sees it: the built service in its own process, and a browser that knows it by a name of the local
// network.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import axe from 'axe-core';
import type { Page } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { apiKey, type Environment, programFile, rest } from '../process/support.ts';
import { engine, mediaOf, openBrowser, type Person, type View, type WatchedPage } from './browser.ts';
import { DashboardBrowser } from './dashboard-browser.ts';
import { makeDatabase, type TestDatabase } from './database.ts';

/** A service with somebody signed in to its dashboard. */
export interface Dashboard {
  readonly server: { readonly url: string; readonly child: ChildProcess; readonly database: TestDatabase };
  /** The key of the session, which may do everything. */
  readonly key: string;
  /** Calls the REST surface; returns the body, or an empty object if there is none. Fails if the answer is an error. */
  call(method: string, path: string, body?: object): Promise<Record<string, unknown> & { readonly id: string }>;
  /** Opens a page of the dashboard in a new tab of the person who is signed in, and waits for its heading. */
  open(path: string, view?: View): Promise<WatchedPage>;
  /** Does the same for another person, who is signed in with their own key. */
  openAs(token: string, path: string, view?: View): Promise<WatchedPage>;
  /** Adds another person, who is not signed in. */
  newPerson(): Promise<Person>;
  /** The person who is signed in. Cookies belong to a host, so the session is valid on every port. */
  readonly person: Person;
  /** Sends a GraphQL request with the key. */
  graphql(query: string, variables?: object): Promise<unknown>;
  /** Ends the session of a page, as another person would. */
  endSession(page: Page): Promise<void>;
  close(): Promise<void>;
}

/** Starts the built service on its own database, for a whole test file, which must end it. */
async function startBuilt(environment: Environment) {
  const database = await makeDatabase();
  const child = spawn(process.execPath, [programFile('dist/main.js')], {
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      ...database.environment,
      BOOTSTRAP_API_KEY: apiKey,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    const url = /^Sallyport is listening on (\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    // Nobody reads the output from here on, and it must not block the service.
    child.stdout.resume();
    return {
      url,
      child,
      database,
      async end() {
        child.kill('SIGTERM');
        await ended;
        await database.remove();
      },
    };
  }
  throw new Error('The service ended before it listened.');
}

/** Starts a service and a browser, which saves files in a folder, and signs in. */
export async function startDashboard(environment: Environment = {}, downloadPath?: string): Promise<Dashboard> {
  const server = await startBuilt(environment);
  const browser = await openBrowser(server.url, downloadPath);
  const { newPerson } = browser;
  const openFor = async (person: Person, path: string, view?: View) => {
    const watched = await person.open(`/dashboard${path}`, view);
    await watched.page.waitForSelector('main h1');
    return watched;
  };
  /** Signs a person in without the page that asks for the key, which takes longer. */
  const signIn = async (person: Person, token: string) => {
    const { cookie } = await new DashboardBrowser(server).signIn(token);
    await person.setCookie(cookie ?? '');
    return person;
  };
  await signIn(browser, apiKey);
  const graphql = async (query: string, variables: object = {}) => {
    const answer = await (await rest(server.url, 'POST', '/graphql', { query, variables })).json();
    expect(answer.errors).toBeUndefined();
    return answer.data;
  };
  return {
    server,
    key: apiKey,
    async call(method, path, body) {
      const answer = await rest(server.url, method, path, body);
      expect([method, path, answer.status < 300]).toEqual([method, path, true]);
      return JSON.parse((await answer.text()) || '{}');
    },
    person: browser,
    newPerson,
    graphql,
    async endSession(page) {
      const id = await page.evaluate(async () => {
        const query = '{ viewer { dashboardSession { id } } }';
        const headers = { 'Content-Type': 'application/json', 'Sallyport-Dashboard': '1' };
        const answer = await fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
        return String((await answer.json()).data.viewer.dashboardSession.id);
      });
      await graphql('mutation ($id: ID!) { endDashboardSession(input: { id: $id }) { endedId } }', { id });
    },
    open: (path, view) => openFor(browser, path, view),
    openAs: async (token, path, view) => openFor(await signIn(await newPerson(), token), path, view),
    async close() {
      await browser.close();
      await server.end();
    },
  };
}

/** Rules of axe whose result depends on colours; all other rules give the same result in both themes. */
const rulesOfColour = ['color-contrast', 'link-in-text-block'];

/** A test in which pages are only shown to axe. */
export const testAxe = test.skipIf(engine === 'firefox');

/**
 * Returns the findings of axe on a page, each with theme, rule and place (WCAG 2.2 AA and best practices); empty if there are none.
 * Leaves the page in the light theme. In Firefox, axe would find what it finds in Chromium: it reads what a page is made of.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  if (engine === 'firefox') return [];
  const isThere = await page.evaluate(() => 'axe' in window);
  if (!isThere) await page.evaluate(axe.source);
  const findings = [];
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMediaFeatures(mediaOf(scheme));
    const rules = scheme === 'dark' ? rulesOfColour : null;
    findings.push(
      ...(await page.evaluate(
        async (only, theme) => {
          // Rows outside the window (`content-visibility`) take their new colours at the next frame.
          await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
          // `axe.source` has defined `axe` on the window.
          const { axe } = window as unknown as { axe: typeof import('axe-core') };
          const { violations } = await axe.run({
            resultTypes: ['violations'],
            ...(only ? { runOnly: only } : { rules: { 'target-size': { enabled: true } } }),
          });
          return violations.flatMap(({ id, nodes }) =>
            nodes.map(({ target, failureSummary }) => `${theme}: ${id} at ${target}: ${failureSummary}`),
          );
        },
        rules,
        scheme,
      )),
    );
  }
  return findings;
}

/** How often a page is searched, in milliseconds: with each frame, the search would take more of the processor than the page does. */
const looks = { polling: 50 };

/** Waits until a text is visible somewhere on a page. If it does not appear, throws Error with the visible text. */
export async function seeText(page: Page, text: string): Promise<void> {
  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden cannot be read.
  const isThere = (wanted: string) => document.body.innerText.includes(wanted);
  await page.waitForFunction(isThere, looks, text).catch(async (cause: unknown) => {
    // biome-ignore lint/performance/useDomNodeTextContent: as above.
    const shown = await page.evaluate(() => document.body.innerText).catch(() => 'nothing that can be read');
    throw new Error(`The page does not show ${JSON.stringify(text)}, but:\n${shown}`, { cause });
  });
}

/** Runs in a page: returns whether the focused element, or any element that the Tab key may reach, has a name. */
function hasName(wanted: string, isFocused: boolean): boolean {
  const elements = isFocused ? [document.activeElement] : [...document.querySelectorAll<HTMLElement>('*')];
  return elements.some((element) => {
    if (!isFocused && element instanceof HTMLElement && element.tabIndex < 0) return false;
    const label =
      element instanceof HTMLInputElement ||
      element instanceof HTMLTextAreaElement ||
      element instanceof HTMLSelectElement
        ? element.labels?.[0]?.textContent
        : null;
    return (element?.ariaLabel ?? label ?? element?.textContent ?? '').trim() === wanted;
  });
}

/**
 * Runs in a page of Firefox: has the Tab key go from the last element to the first. Firefox without a window would give the focus to
 * a toolbar that nobody sees, and the page would not have it back.
 */
function keepFocus(): void {
  const root = document.querySelector('dialog:modal') ?? document.body;
  const last = root.querySelector<HTMLElement>(':scope > [data-last]') ?? document.createElement('i');
  if (document.activeElement === last) {
    last.blur();
    getSelection()?.setPosition(root, 0);
  }
  last.tabIndex = 0;
  last.dataset.last = '';
  if (root.lastElementChild !== last) root.append(last);
}

/** Runs in a page: undoes that. */
function forgetFocus(): void {
  for (const last of document.querySelectorAll('[data-last]')) last.remove();
}

/** Waits until an element has a name, and presses Tab until that element has the focus, as a keyboard user would. */
export async function tabTo(page: Page, name: string): Promise<void> {
  await page.waitForFunction(hasName, looks, name, false).catch((cause) => {
    throw new Error(`Nothing has the name "${name}".`, { cause });
  });
  const passed: (string | undefined)[] = [];
  while (passed.length < 80) {
    if (engine === 'firefox') await page.evaluate(keepFocus);
    await page.keyboard.press('Tab');
    if (!(await page.evaluate(hasName, name, true))) {
      passed.push(await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 80)));
      continue;
    }
    if (engine === 'firefox') await page.evaluate(forgetFocus);
    return;
  }
  expect.fail(`What has the name "${name}" was not reached by the Tab key, but:\n${passed.join('\n')}`);
}

/** Moves to a control with the Tab key, and presses it. */
export async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

/** Opens the menu of a control by keyboard, and chooses the entry that begins with a text. */
export async function choose(page: Page, name: string, entry: string): Promise<void> {
  await press(page, name);
  await page.waitForSelector('[role=menu]:is(:focus, :focus-within)');
  await page.keyboard.type(entry);
  await page.keyboard.press('Enter');
}

/** Replaces the text of the focused field, as if pasted from the clipboard. */
export async function enter(page: Page, text: string): Promise<void> {
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  // `sendCharacter` of Firefox sends one character at most.
  await page.evaluate((pasted) => document.execCommand('insertText', false, pasted), text);
}

/** Moves to a field with the Tab key, and replaces its text. */
export async function fill(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name);
  await enter(page, text);
}
