// What a second instance on the same database adds, both under the load of the same number of clients.

import { availableParallelism } from 'node:os';
import { type Finding, ratios, spreadOf } from './figures.ts';
import { callsPerConnection, measure, type Pace } from './load.ts';
import type { Place } from './places.ts';
import { inRounds } from './rounds.ts';
import { type Kind, restCall } from './scenarios.ts';
import { type Server, startSallyport } from './servers.ts';
import { holdToShare } from './shares.ts';
import { makeTemplate } from './template.ts';

const policyCount = 1_000;
const connections = 64;
const kinds: readonly Kind[] = ['GET one', 'LIST 100', 'PATCH'];

const goal = { atLeast: 1.6 };
/** Two instances, the database and the load each take a core; with fewer, they take time from each other. */
const coresNeeded = 4;
/**
 * The share of a core that an instance gets if there are fewer. It stands still for the rest, so the database and the load have
 * what they need, as with cores to spare. This shows what instances take from each other, not what one database can serve.
 */
const share = 0.125;
const isHeld = availableParallelism() < coresNeeded;

/** The text above the table. */
export const instancesWords = `REST at ${connections} connections, to one instance or half of them to each of two, on one database.${
  isHeld
    ? ` With ${availableParallelism()} cores, the instances,\nthe database and the load take time from each other. So each instance is also held to ${share * 100} % of a core, which leaves the database and the load\nas much as they need: that shows what instances take from each other, and not what one database can serve.`
    : ''
}`;

/**
 * Measures one instance and two, side by side.
 *
 * @throws Error if an answer fails
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
      const each = connections / servers.length;
      // Together they get the calls that one instance gets, so the two do not change the same rows at the same time.
      const callsOfEach = each * callsPerConnection;
      const measured = await Promise.all(
        servers.map((server, index) =>
          measure(server, (n) => restCall(kind, template, index * callsOfEach + n), each, pace.seconds),
        ),
      );
      return measured.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0);
    };
    const heldRate = async (kind: Kind, servers: readonly Server[]) => {
      const letGo = holdToShare(servers, share);
      try {
        return await rate(kind, servers);
      } finally {
        await letGo();
      }
    };
    const ways = [
      ...(isHeld ? [{ way: ', each held to a share', measured: heldRate, goal }] : []),
      { way: '', measured: rate, goal: isHeld ? null : goal },
    ];
    const probes = ways.flatMap(({ way, measured }) =>
      kinds.flatMap((kind) => [
        { name: `${kind} one${way}`, measure: () => measured(kind, [one]) },
        { name: `${kind} two${way}`, measure: () => measured(kind, [one, other]) },
      ]),
    );
    const figures = await inRounds(probes, [], pace.rounds, log);
    return ways.flatMap(({ way, goal }) =>
      kinds.map((kind) => ({
        what: `${kind}: two instances against one${way}`,
        spread: spreadOf(ratios(figures.get(`${kind} two${way}`) ?? [], figures.get(`${kind} one${way}`) ?? [])),
        goal,
      })),
    );
  } finally {
    await Promise.all(running.map((server) => server.stop()));
  }
}
