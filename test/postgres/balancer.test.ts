// Two servers behind the load balancer of deploy/haproxy.cfg, if HAProxy is installed: one of them may be stopped, or be killed.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Environment,
  readyServer,
  rest,
  run,
  type Server,
  statusOf,
  temporaryDirectory,
  until,
} from '../process/support.ts';
import { makeDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { root } from '../support/source-files.ts';

const configuration = join(root, 'deploy/haproxy.cfg');
const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0;

/** Starts two servers on one database, with the balancer in front. */
async function startBalanced() {
  const database = await makeDatabase();
  onTestFinished(() => database.remove());
  const environment: Environment = {
    DATABASE_URL: database.url,
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    DRAIN_SECONDS: '4',
  };
  const startOne = (port = '0') => readyServer({ environment: { ...environment, PORT: port } });
  const [one, two] = [await startOne(), await startOne()];
  const host = (url: string) => new URL(url).host;
  const file = join(temporaryDirectory(), 'haproxy.cfg');
  const port = await freePort();
  writeFileSync(file, readFileSync(configuration, 'utf8').replace('bind :4000', `bind 127.0.0.1:${port}`));
  run('haproxy', ['-f', file], { SERVER_ONE: host(one.url), SERVER_TWO: host(two.url) });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await statusOf(url, '/readyz')) === 200);
  return { one, two, url, startOne };
}

/** Waits until the balancer sends requests to a server. */
const isAsked = ({ log }: Pick<Server, 'log'>) => until(() => log().some(({ surface }) => surface === 'rest'));

/** Starts readers and writers that continue whatever happens. `end` returns how often each status was answered. */
function startLoad(url: string) {
  let going = true;
  onTestFinished(() => {
    going = false;
  });
  const tally: Record<string, number> = {};
  const work = async (method: 'GET' | 'POST') => {
    while (going) {
      const path = method === 'POST' ? '/ip_policies' : '/ip_policies?limit=1';
      const body = method === 'POST' ? { description: 'load' } : undefined;
      const status = await rest(url, method, path, body).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.status;
        },
        () => 0,
      );
      const key = `${method} ${status}`;
      tally[key] = (tally[key] ?? 0) + 1;
      await pause(2);
    }
  };
  const all = Promise.all((['GET', 'POST', 'GET', 'POST', 'GET', 'POST', 'GET', 'POST'] as const).map(work));
  return {
    async end() {
      going = false;
      await all;
      return tally;
    },
  };
}

describe.runIf(hasHaproxy)('behind HAProxy', () => {
  test('no request fails while each server in turn is stopped and started again', async () => {
    const { one, two, url, startOne } = await startBalanced();
    const load = startLoad(url);
    await Promise.all([one, two].map(isAsked));
    for (const server of [one, two]) {
      server.child.kill('SIGTERM');
      await once(server.child, 'exit');
      await isAsked(await startOne(new URL(server.url).port));
    }
    const tally = await load.end();
    expect(Object.keys(tally).sort()).toEqual(['GET 200', 'POST 201']);
  });

  test('when a server is killed, no read fails, and a write only if it was under way there', async () => {
    const { one, url } = await startBalanced();
    const load = startLoad(url);
    await isAsked(one);
    one.child.kill('SIGKILL');
    await pause(4_000);
    // On a connection that it has used before, HAProxy closes the client's connection instead of answering 502.
    const { 'POST 502': refused = 0, 'POST 0': cut = 0, ...others } = await load.end();
    expect(Object.keys(others).sort()).toEqual(['GET 200', 'POST 201']);
    // There are eight clients, for each of which HAProxy has a connection: one that is dead fails at the next write.
    expect(refused + cut).toBeLessThanOrEqual(8);
  });

  test('when no server is ready, clients are told when to retry', async () => {
    const { one, two, url } = await startBalanced();
    for (const { child } of [one, two]) child.kill('SIGKILL');
    await until(async () => (await statusOf(url, '/ip_policies')) === 503);
    const answer = await rest(url, 'GET', '/ip_policies');
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      503,
      '2',
      { error_code: 'UNAVAILABLE', status_code: 503, msg: 'No server is ready. Retry in a few seconds.', details: {} },
    ]);
  });

  test('the metrics of the servers cannot be read through it', async () => {
    const { one, url } = await startBalanced();
    expect([await statusOf(one.url, '/metrics'), await statusOf(url, '/metrics')]).toEqual([200, 404]);
  });
});
