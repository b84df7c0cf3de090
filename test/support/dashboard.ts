// The dashboard as a person meets it: the built service in a process of its own, and a browser at a name of the local network.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import axe from 'axe-core';
import type { Page } from 'puppeteer-core';
import { expect } from 'vitest';
import { apiKey, type Environment, programFile, rest } from '../process/support.ts';
import { mediaOf, openBrowser, type Person, type View, type WatchedPage } from './browser.ts';
import { DashboardBrowser } from './dashboard-browser.ts';
import { makeDatabase, type TestDatabase } from './database.ts';

/** A service with somebody signed in to its dashboard. */
export interface Dashboard {
  readonly server: { readonly url: string; readonly child: ChildProcess; readonly database: TestDatabase };
  /** A key that may do everything: the one of the session. */
  readonly key: string;
  /** Calls the REST surface; gives the body, or an empty object where there is none. Fails where the answer is an error. */
  call(method: string, path: string, body?: object): Promise<Record<string, unknown> & { readonly id: string }>;
  /** Opens a page of the dashboard in a new tab of the person who is signed in, and waits until its title is there. */
  open(path: string, view?: View): Promise<WatchedPage>;
  /** The same for another person, who is signed in with a key of his own. */
  openAs(token: string, path: string, view?: View): Promise<WatchedPage>;
  /** Has somebody else sit down, who is not signed in. */
  newPerson(): Promise<Person>;
  /** The person who is signed in. Cookies are of a host: so is the session, on every port. */
  readonly person: Person;
  /** Asks GraphQL with the key. */
  graphql(query: string, variables?: object): Promise<unknown>;
  /** Ends the session of a page, as somebody else would. */
  endSession(page: Page): Promise<void>;
  close(): Promise<void>;
}

/** Starts the built service on a database of its own; it is for a whole file of tests, which ends it. */
async function startBuilt(environment: Environment) {
  const database = await makeDatabase({ migrated: false });
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
    // What it prints from here on is read by nobody, and must not stop it.
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

/** Starts a service and a browser, and signs in. */
export async function startDashboard(environment: Environment = {}): Promise<Dashboard> {
  const server = await startBuilt(environment);
  const browser = await openBrowser(server.url);
  const { newPerson } = browser;
  const openFor = async (person: Person, path: string, view?: View) => {
    const watched = await person.open(`/dashboard${path}`, view);
    await watched.page.waitForSelector('main h1');
    return watched;
  };
  /** Signs somebody in without the page that asks for the key, which takes longer. */
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

/** Rules of axe whose answer depends on colours; of all others it is the same in both themes. */
const rulesOfColour = ['color-contrast', 'link-in-text-block'];

/**
 * What axe finds on a page, by theme, rule and place; nothing where all is well (WCAG 2.2 AA and best practices). The page is left as
 * it was, in the light.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  const isThere = await page.evaluate(() => 'axe' in window);
  if (!isThere) await page.evaluate(axe.source);
  const findings = [];
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMediaFeatures(mediaOf(scheme));
    const rules = scheme === 'dark' ? rulesOfColour : null;
    findings.push(
      ...(await page.evaluate(
        async (only, theme) => {
          // Rows outside of the window (`content-visibility`) take their new colours at the next frame.
          await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
          // `axe.source` has defined it there.
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

/** Waits until a text can be read somewhere on a page. Throws what can be read there where it does not come. */
export async function seeText(page: Page, text: string): Promise<void> {
  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden cannot be read.
  const isThere = (wanted: string) => document.body.innerText.includes(wanted);
  await page.waitForFunction(isThere, {}, text).catch(async (cause: unknown) => {
    // biome-ignore lint/performance/useDomNodeTextContent: as above.
    const shown = await page.evaluate(() => document.body.innerText).catch(() => 'nothing that can be read');
    throw new Error(`The page does not show ${JSON.stringify(text)}, but:\n${shown}`, { cause });
  });
}

/** Tells, in a page, whether what has the focus, or anything that the Tab key may reach, has a name. */
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

/** Waits until something has a name, and presses Tab until that has the focus, as a person looks for it by keyboard. */
export async function tabTo(page: Page, name: string): Promise<void> {
  await page.waitForFunction(hasName, {}, name, false).catch((cause) => {
    throw new Error(`Nothing has the name "${name}".`, { cause });
  });
  for (let pressed = 0; pressed < 80; pressed += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(hasName, name, true)) return;
  }
  expect.fail(`What has the name "${name}" was not reached by the Tab key.`);
}

/** Goes to a control by the Tab key, and presses it. */
export async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

/** Puts a text into the field that has the focus, in place of what is there, as from the clipboard. */
export async function enter(page: Page, text: string): Promise<void> {
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.sendCharacter(text);
}

/** Goes to a field by the Tab key, and puts a text in the place of what is there. */
export async function fill(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name);
  await enter(page, text);
}
