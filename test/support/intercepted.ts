// Intercepts the requests of a dashboard page, so that a test decides which of them go through.

import type { HTTPRequest, Page } from 'puppeteer-core';
import { test } from 'vitest';
import { engine } from './browser.ts';

/** A test that intercepts requests. Firefox does not tell what is in them. */
export const testIntercepting = test.skipIf(engine === 'firefox');

/** What happens to a request: `hold` means that it waits until it is released. */
export type Fate = 'pass' | 'hold' | 'fail';

/** Returns what a request is for: a GraphQL operation, the session, or a file, named without its hash. */
function nameOf(request: HTTPRequest): string {
  const { pathname } = new URL(request.url());
  if (pathname.endsWith('/graphql')) return JSON.parse(request.postData() ?? '{}').operationName;
  return pathname.replace(/.*\//, '').replace(/-[\w-]{8}\./, '.');
}

/**
 * Decides what happens to each request of a page from here on, by what it is for. Once everything held has been released, nothing
 * more is held, for example a query that is repeated because somebody has changed the data. The browser's cache is off.
 */
export async function intercept(page: Page, fateOf: (name: string) => Fate) {
  const asked: string[] = [];
  const ended: string[] = [];
  const held: HTTPRequest[] = [];
  let isHolding = true;
  await page.setCacheEnabled(false);
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const name = nameOf(request);
    // Requests of the previous page no longer count.
    if (request.isNavigationRequest()) asked.length = 0;
    asked.push(name);
    const fate = fateOf(name);
    if (fate === 'hold' && isHolding) held.push(request);
    else void (fate === 'fail' ? request.abort() : request.continue());
  });
  page.on('requestfailed', (request) => ended.push(nameOf(request)));
  return {
    /** The names of the requests since the page was loaded, in order. */
    asked,
    /** The names of the requests that have failed or were given up. */
    ended,
    /** Starts to hold requests again, after a release. */
    holdAgain() {
      isHolding = true;
    },
    /** Lets held requests pass, or makes them fail: all of them, or only those with a name. */
    async release(fate: Exclude<Fate, 'hold'> = 'pass', name?: string) {
      if (name === undefined) isHolding = false;
      for (const request of held.splice(0)) {
        if (name !== undefined && nameOf(request) !== name) held.push(request);
        else await (fate === 'fail' ? request.abort() : request.continue());
      }
    },
  };
}

/** Where a request is held: before the server receives it, or after the server has answered. */
type Stage = 'request' | 'answer';

/** Holds GraphQL requests of a page from here on, by stage and operation, such as `answer of Policy`. */
export async function holdOperations(page: Page, isHeld: (what: string) => boolean) {
  const session = await page.createCDPSession();
  const held: { readonly what: string; pass(): Promise<unknown> }[] = [];
  session.on('Fetch.requestPaused', ({ requestId, request, responseStatusCode }) => {
    const stage: Stage = responseStatusCode === undefined ? 'request' : 'answer';
    const what = `${stage} of ${JSON.parse(request.postData ?? '{}').operationName}`;
    // If the page has given up the request, there is nothing to let through.
    const pass = () => session.send('Fetch.continueRequest', { requestId }).catch(() => {});
    if (isHeld(what)) held.push({ what, pass });
    else void pass();
  });
  const patterns = (['Request', 'Response'] as const).map((requestStage) => ({
    urlPattern: '*/graphql',
    requestStage,
  }));
  await session.send('Fetch.enable', { patterns });
  return {
    /** Returns what is held, in order. */
    held: () => held.map(({ what }) => what),
    /** Lets pass what is held by now: all of it, or only one kind. */
    async pass(what?: string) {
      const passed = held.filter((one) => what === undefined || one.what === what);
      held.splice(0, held.length, ...held.filter((one) => !passed.includes(one)));
      for (const { pass } of passed) await pass();
    },
  };
}
