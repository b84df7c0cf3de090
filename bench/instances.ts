// What a second instance on the same database adds, both under the load of as many clients.

import { availableParallelism } from 'node:os';
import { type Finding, ratios, spreadOf } from './figures.ts';
import { measure, type Pace } from './load.ts';
import type { Place } from './places.ts';
import { inRounds } from './rounds.ts';
import { type Kind, restCall } from './scenarios.ts';
import { type Server, startSallyport } from './servers.ts';
import { makeTemplate } from './template.ts';

const policyCount = 1_000;
const connections = 64;
const kinds: readonly Kind[] = ['GET one', 'LIST 100', 'PATCH'];

/** Two instances, the database and the load each take a core; with fewer, they take time from each other. */
const coresNeeded = 4;
const goal = availableParallelism() < coresNeeded ? null : { atLeast: 1.6 };

/** What the table says beside its figures. */
export const instancesWords = `REST at ${connections} connections, to one instance or half of them to each of two, on one database.${
  goal === null
    ? ` The goal of 1.6 needs ${coresNeeded} cores: with ${availableParallelism()}, the instances, the database and the load take\ntime from each other.`
    : ''
}`;

/**
 * Measures one instance and two, side by side.
 *
 * @throws Error when an answer fails
 */
export async function measureInstances(place: Place, pace: Pace, log: (message: string) => void): Promise<Finding[]> {
  const template = await makeTemplate(place, 'instances', policyCount);
  const running: Server[] = [];
  try {
    const one = await startSallyport(template.url, template.secretKey);
    running.push(one);
    const other = await startSallyport(template.url, template.secretKey);
    running.push(other);
    const rate = async (kind: Kind, servers: readonly Server[]) => {
      const share = connections / servers.length;
      const measured = await Promise.all(
        servers.map((server, index) =>
          measure(server, (n) => restCall(kind, template, n + index * policyCount), share, pace.seconds),
        ),
      );
      return measured.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0);
    };
    const figures = await inRounds(
      kinds.flatMap((kind) => [
        { name: `${kind} one`, measure: () => rate(kind, [one]) },
        { name: `${kind} two`, measure: () => rate(kind, [one, other]) },
      ]),
      [],
      pace.rounds,
      log,
    );
    return kinds.map((kind) => ({
      what: `${kind}: two instances against one`,
      spread: spreadOf(ratios(figures.get(`${kind} two`) ?? [], figures.get(`${kind} one`) ?? [])),
      goal,
    }));
  } finally {
    await Promise.all(running.map((server) => server.stop()));
  }
}
