// The servers that the benchmark compares with must do the work that Sallyport does: a comparison with anything else says nothing.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkPolicies } from '../../bench/peers/measure.ts';
import { createPostgresPlace, createSqlitePlace, type Place } from '../../bench/places.ts';
import { checkSameWork } from '../../bench/same-work.ts';
import { bundleOpponent, type Server, startOpponent, startSallyport } from '../../bench/servers.ts';
import { openStockPrisma } from '../../bench/stock-prisma.ts';
import { makeTemplate, type Template } from '../../bench/template.ts';
import { findPrograms } from '../support/postgres.ts';
import { programFile } from './support.ts';

const engines = [
  { name: 'SQLite', peer: 'sqlite', isHere: true, createPlace: async () => createSqlitePlace() },
  {
    name: 'PostgreSQL',
    peer: 'postgres',
    isHere: findPrograms() !== null,
    // A separate server, because that of the tests may lose acknowledged writes, which the opponents refuse.
    createPlace: () => createPostgresPlace(undefined),
  },
] as const;

describe.each(engines.filter(({ isHere }) => isHere))('on $name', ({ peer, createPlace }) => {
  let place: Place;
  let template: Template;
  const running: Server[] = [];
  const keep = async (starting: Promise<Server>) => {
    const server = await starting;
    running.push(server);
    return server;
  };
  /** Starts Sallyport on its own copy. */
  const sallyportOn = async (copy: string) => {
    const program = programFile('dist/main.js');
    return keep(startSallyport(await place.copy(template.url, copy), template.secretKey, { program }));
  };
  beforeAll(async () => {
    place = await createPlace();
    template = await makeTemplate(place, 'template', 200);
  });
  afterAll(async () => {
    await Promise.all(running.map((server) => server.stop()));
    await place.remove();
  });

  test('both opponents answer as Sallyport does, and one with an audit row has written it for each change', async () => {
    const auditedUrl = await place.copy(template.url, 'audited');
    const limit = await bundleOpponent('limit');
    const audited = await keep(startOpponent(limit, auditedUrl, 'audited'));
    const opponents = [
      await keep(startOpponent(await bundleOpponent('by-hand'), await place.copy(template.url, 'by_hand'))),
      await keep(startOpponent(limit, await place.copy(template.url, 'limit'))),
      audited,
    ];
    await checkSameWork(await sallyportOn('sallyport'), opponents, template);

    const prisma = await openStockPrisma(auditedUrl);
    const told = { where: { actorDescription: 'benchmark' }, orderBy: { id: 'asc' } } as const;
    const events = await prisma.auditEvent.findMany({ ...told, select: { action: true, version: true } });
    await prisma.$disconnect();
    expect(events).toEqual([
      { action: 'update', version: 2 },
      { action: 'update', version: 3 },
      { action: 'create', version: 1 },
      { action: 'create', version: 1 },
    ]);
  });

  test('Sallyport and the plain stack give the same policies on GraphQL', async () => {
    await checkPolicies(peer, await sallyportOn('sallyport_on_graphql'), template);
    const plainProgram = await bundleOpponent('peers/plain');
    const plain = await keep(startOpponent(plainProgram, await place.copy(template.url, 'plain')));
    await checkPolicies('plain', plain, template);
  });
});
