// What a page of the dashboard asks for, of which a test lets through what it likes.

import type { HTTPRequest, Page } from 'puppeteer-core';

/** What becomes of a request: one that is held waits until it is released. */
export type Fate = 'pass' | 'hold' | 'fail';

/** What a request is for: a GraphQL operation, the session, or a file without its hash. */
function nameOf(request: HTTPRequest): string {
  const { pathname } = new URL(request.url());
  if (pathname.endsWith('/graphql')) return JSON.parse(request.postData() ?? '{}').operationName;
  return pathname.replace(/.*\//, '').replace(/-[\w-]{8}\./, '.');
}

/**
 * Decides on each request of a page from here on, by what it is for; once all that is held was released, nothing more is held, such as what
 * is read again because somebody has changed it. Nothing comes from what the browser has kept.
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
    // What the page before has asked for is over.
    if (request.isNavigationRequest()) asked.length = 0;
    asked.push(name);
    const fate = fateOf(name);
    if (fate === 'hold' && isHolding) held.push(request);
    else void (fate === 'fail' ? request.abort() : request.continue());
  });
  page.on('requestfailed', (request) => ended.push(nameOf(request)));
  return {
    /** What was asked for, in order, since the page was loaded. */
    asked,
    /** What has failed, or was given up. */
    ended,
    /** Holds again what is to be held, after a release. */
    holdAgain() {
      isHolding = true;
    },
    /** Lets through what is held, or has it fail: all of it, or what is for one thing alone. */
    async release(fate: Exclude<Fate, 'hold'> = 'pass', name?: string) {
      if (name === undefined) isHolding = false;
      for (const request of held.splice(0)) {
        if (name !== undefined && nameOf(request) !== name) held.push(request);
        else await (fate === 'fail' ? request.abort() : request.continue());
      }
    },
  };
}

/** Where a request is held: before the server has it, or once it has answered. */
type Stage = 'request' | 'answer';

/** Holds what a page asks GraphQL for, from here on, by the operation and where that is held, such as `answer of Policy`. */
export async function holdOperations(page: Page, isHeld: (what: string) => boolean) {
  const session = await page.createCDPSession();
  const held: { readonly what: string; pass(): Promise<unknown> }[] = [];
  session.on('Fetch.requestPaused', ({ requestId, request, responseStatusCode }) => {
    const stage: Stage = responseStatusCode === undefined ? 'request' : 'answer';
    const what = `${stage} of ${JSON.parse(request.postData ?? '{}').operationName}`;
    // Of a request that the page has given up there is nothing to let through.
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
    /** Gives what is held, in order. */
    held: () => held.map(({ what }) => what),
    /** Lets through what is held by now, all of it or of one kind. */
    async pass(what?: string) {
      const passed = held.filter((one) => what === undefined || one.what === what);
      held.splice(0, held.length, ...held.filter((one) => !passed.includes(one)));
      for (const { pass } of passed) await pass();
    },
  };
}
