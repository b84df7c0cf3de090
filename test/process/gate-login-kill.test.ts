// Logins while the server is killed: a login that has begun continues after the next start, and nothing counts twice.

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openClient, testDatabase } from '../support/database.ts';
import {
  Browser,
  host,
  identityOf,
  type LoginService,
  leave,
  locationOf,
  makePlace,
  post,
  respond,
} from '../support/login.ts';
import { baseUrl } from '../support/service.ts';
import { readyServer, rest } from './support.ts';

const page = `https://${host}/app/reports?page=2`;

/** Starts a server that can be killed and started again on the same database. */
async function startMortal() {
  const database = await testDatabase();
  const begin = () => readyServer(database, { BASE_URL: baseUrl });
  let server = await begin();
  const service: LoginService = {
    get url() {
      return server.url;
    },
    async rest(method, route, body) {
      const answer = await rest(server.url, method, route, body instanceof Object ? body : undefined);
      return { status: answer.status, headers: answer.headers, body: await answer.json() };
    },
  };
  return {
    service,
    database,
    signal: (name: NodeJS.Signals) => server.child.kill(name),
    async kill() {
      server.child.kill('SIGKILL');
      await server.ended;
    },
    async start() {
      server = await begin();
    },
  };
}

test('a login goes on where the server was killed after each of its steps, and what was used stays used', async () => {
  const { service, kill, start } = await startMortal();
  const again = async () => {
    await kill();
    await start();
  };
  const place = await makePlace(service);
  const browser = new Browser(service);

  const sent = await browser.open(place, page);
  await again();
  const { requestId } = await leave(browser, place, page);
  expect(locationOf(await browser.visit(locationOf(sent)))).toMatch(/^https:\/\/idp\.example\.com\/sso\?/);
  await again();
  const [response, second] = [1, 2].map(() => respond(place, requestId, {}, new Date()));
  const brought = await post(service, place, response ?? '');
  expect(brought.status).toBe(303);
  await again();
  expect((await post(service, place, response ?? '')).status).toBe(403);
  expect((await post(service, place, second ?? '')).status).toBe(403);
  const admitted = await browser.open(place, locationOf(brought));
  expect([admitted.status, locationOf(admitted)]).toEqual([302, page]);
  await again();
  expect(identityOf(await browser.open(place, page)).slice(0, 2)).toEqual([200, 'amy']);
  expect((await browser.open(place, locationOf(brought))).status).toBe(403);

  // A logout is final once it has been answered.
  const cookies = new Map(browser.cookies);
  expect((await browser.open(place, `https://${host}/.sallyport/logout`)).status).toBe(302);
  await again();
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  expect((await browser.open(place, page, '*/*')).status).toBe(401);
});

test('a response that arrives while the server is killed is worth one session at most', async () => {
  const { service, database, signal, kill, start } = await startMortal();
  const place = await makePlace(service);
  const { samlUsedAssertion } = await openClient(database);

  /** Brings a response, and stops the server before it has answered: before it has used the assertion, or after. */
  const bring = async (isUsed: boolean) => {
    for (;;) {
      const browser = new Browser(service);
      const { requestId } = await leave(browser, place, page);
      const response = respond(place, requestId, {}, new Date());
      const used = await samlUsedAssertion.count();
      let isAnswered = false;
      const brought = post(service, place, response).then(
        () => {
          isAnswered = true;
        },
        () => {},
      );
      while (!isAnswered) {
        await pause(1);
        signal('SIGSTOP');
        await pause(5); // what it has sent arrives
        if (!isAnswered && (await samlUsedAssertion.count()) > used === isUsed) return { browser, response, brought };
        signal('SIGCONT');
      }
    }
  };

  for (const isUsed of [false, true]) {
    const { browser, response, brought } = await bring(isUsed);
    await kill();
    await brought;
    await start();
    // The next start accepts the response if it had not been used before the kill.
    const [first, second] = [await post(service, place, response), await post(service, place, response)];
    expect([first.status, second.status]).toEqual([isUsed ? 403 : 303, 403]);
    if (!isUsed) expect((await browser.open(place, locationOf(first))).status).toBe(302);
    expect((await browser.open(place, page, '*/*')).status).toBe(isUsed ? 401 : 200);
    // A user whose login was interrupted can log in again.
    const { requestId: next } = await leave(new Browser(service), place, page);
    expect((await post(service, place, respond(place, next, {}, new Date()))).status).toBe(303);
  }
});
