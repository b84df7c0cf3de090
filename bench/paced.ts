// Sends requests at a pace, whatever the server answers meanwhile.

import { Agent, request } from 'node:http';
import type { Call } from './load.ts';
import type { Server } from './servers.ts';

/** Milliseconds between two moments at which what is due is sent. */
const tickMs = 5;

/**
 * Sends so many requests a second, and waits for all answers.
 *
 * @returns how many were sent
 * @throws Error for any answer outside 2xx, and for any connection that breaks
 */
export async function sendAtPace(
  server: Server,
  callOf: (n: number) => Call,
  perSecond: number,
  seconds: number,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const whole = perSecond * seconds;
  const answers: Promise<void>[] = [];
  const begun = performance.now();
  try {
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const due = Math.min(whole, ((performance.now() - begun) / 1000) * perSecond);
        while (answers.length < due) answers.push(sendWith(agent, server, callOf(answers.length)));
        if (answers.length < whole) return;
        clearInterval(timer);
        resolve();
      }, tickMs);
    });
    await Promise.all(answers);
  } finally {
    agent.destroy();
  }
  return answers.length;
}

/** Sends a request, and waits for its answer. Throws Error if that is outside 2xx. */
export function sendWith(agent: Agent, { url }: Pick<Server, 'url'>, call: Call): Promise<void> {
  const { hostname, port } = new URL(url);
  const { method, path, headers, body } = call;
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, agent, method, path, headers }, (answer) => {
      const { statusCode = 0 } = answer;
      answer.resume().on('end', () => {
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`${method} ${path} was answered with ${statusCode}.`));
      });
    });
    sent.on('error', reject).end(body);
  });
}
