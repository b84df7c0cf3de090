// Requests one object of another account and /healthz, again and again, until its standard input ends. A separate process, so that
// the attackers' work does not count in its times. Prints one line of JSON.

import { setTimeout as pause } from 'node:timers/promises';
import { createClient, NoAnswer } from './client.ts';

const [url = '', path = ''] = process.argv.slice(2);
const client = createClient(url, process.env.TORTURE_TOKEN ?? '');
const health = createClient(url, '');
const times: number[] = [];
const healthTimes: number[] = [];
const faults: string[] = [];
let over = false;
process.stdin.on('end', () => {
  over = true;
});
process.stdin.resume();

async function ask(
  client: ReturnType<typeof createClient>,
  path: string,
  times: number[],
  check: (body: string) => boolean,
) {
  while (!over) {
    const sent = performance.now();
    try {
      const { status, body } = await client.send('GET', path, { timeoutMs: 20_000 });
      if (status !== 200 || !check(JSON.stringify(body)))
        faults.push(`${path} answers ${status}: ${JSON.stringify(body)}`);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      faults.push(`${path}: ${error.message}`);
      await pause(100);
    }
    times.push(performance.now() - sent);
    await pause(20);
  }
}

let first: string | undefined;
await Promise.all([
  ask(client, path, times, (body) => {
    first ??= body;
    return body === first;
  }),
  ask(health, '/healthz', healthTimes, () => true),
]);
process.stdout.write(`${JSON.stringify({ times, healthTimes, faults })}\n`);
client.close();
health.close();
