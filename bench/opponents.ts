// Sallyport against the two opponents, in one run, on both surfaces; and the cost of an audit row for each write, for the faster
// opponent.

import { type Entry, measureInTurn, type Series } from './comparison.ts';
import type { Pace } from './load.ts';
import type { EngineName, Place } from './places.ts';
import { checkSameWork } from './same-work.ts';
import { graphqlCall, isWrite, type Kind, restCall } from './scenarios.ts';
import { bundleOpponent, type Server, startOpponent, startSallyport } from './servers.ts';
import { makeTemplate } from './template.ts';

/** The results of the comparison. */
export interface OpponentsMeasured {
  readonly engine: EngineName;
  readonly series: readonly Series[];
  /** Memory of each server after all of the load, in MiB. */
  readonly residentMiB: Readonly<Record<'sallyport' | 'by-hand' | 'limit', number>>;
}

/** Number of policies at the start. */
const policyCount = 1_000;

/**
 * Measures Sallyport and the opponents.
 *
 * @throws Error if a server does not do the same work, or an answer fails
 */
export async function measureOpponents(
  place: Place,
  kinds: readonly Kind[],
  pace: Pace,
  log: (message: string) => void,
): Promise<OpponentsMeasured> {
  const template = await makeTemplate(place, 'template', policyCount);
  const copy = (name: string) => place.copy(template.url, name);
  const running: Server[] = [];
  const keep = async (starting: Promise<Server>) => {
    const server = await starting;
    running.push(server);
    return server;
  };
  try {
    const sallyport = await keep(startSallyport(await copy('sallyport'), template.secretKey));
    const byHand = await keep(startOpponent(await bundleOpponent('by-hand'), await copy('by_hand')));
    const limitProgram = await bundleOpponent('limit');
    const limit = await keep(startOpponent(limitProgram, await copy('limit')));
    const audited = await keep(startOpponent(limitProgram, await copy('limit_audited'), 'audited'));
    await checkSameWork(sallyport, [byHand, limit, audited], template);

    const rest = (kind: Kind, n: number) => restCall(kind, template, n);
    const graphql = (kind: Kind, n: number) => graphqlCall(kind, template, n);
    const all = () => true;
    const { database } = place;
    const entries: Entry[] = [
      { contender: 'rest', server: { ...sallyport, database }, callOf: rest, answers: all },
      { contender: 'graphql', server: { ...sallyport, database }, callOf: graphql, answers: all },
      { contender: 'by-hand', server: { ...byHand, database }, callOf: rest, answers: all },
      { contender: 'limit', server: { ...limit, database }, callOf: rest, answers: all },
      { contender: 'limit-audited', server: { ...audited, database }, callOf: rest, answers: isWrite },
    ];
    const series = await measureInTurn(entries, kinds, pace, log);
    const residentMiB = {
      sallyport: sallyport.residentMiB(),
      'by-hand': byHand.residentMiB(),
      limit: limit.residentMiB(),
    };
    return { engine: place.engine, series, residentMiB };
  } finally {
    await Promise.all(running.map((server) => server.stop()));
  }
}
