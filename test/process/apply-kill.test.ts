// A document is applied while the process that applies it is killed: a server, and the command line at the database. Afterwards all of
// it is there, or nothing, and so it is in the trail.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { chainEvents } from '../../src/areas/audit-events/chain/chaining-store.ts';
import { readConfig } from '../../src/config.ts';
import { visitDatabase } from '../../src/storage/lifecycle/open.ts';
import { testDatabase } from '../support/database.ts';
import { createHome, findUnrecorded, query, walBytes } from '../torture/process.ts';
import { command, commandJson } from './one-process.ts';
import { apiKey, type Process, readyServer, start, temporaryDirectory, until } from './support.ts';

const policies = 60;
const rulesOfPolicy = 5;

/** Writes a version of the document: it changes all policies of the version before, deletes all of its rules, and creates others. */
function documentOf(version: number) {
  const rules = (policy: number) =>
    Array.from({ length: rulesOfPolicy }, (_, rule) => ({
      cidr: `10.${version}.${policy}.${rule}/32`,
      action: 'allow',
    }));
  const policyOf = (_: unknown, at: number) => [`p${at}`, { description: `version ${version}`, rules: rules(at) }];
  return { ipPolicies: Object.fromEntries(Array.from({ length: policies }, policyOf)) };
}

/** When a process is killed: after a share of the time that the first application took, or as soon as others see something of it. */
type Moment = number | 'writing' | 'stored';

test('a process that is killed while it applies a document leaves all of it or nothing', async () => {
  const database = await testDatabase();
  const home = createHome(database);
  onTestFinished(() => home.remove());
  const file = join(temporaryDirectory(), 'document.json');
  const apply = async (url: string, version: number) => {
    const mutation =
      'mutation ($input: ApplyConfigurationInput!) { applyConfiguration(input: $input) { applied { requestId } } }';
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: mutation, variables: { input: { document: documentOf(version) } } }),
    });
    expect(await answer.json()).toEqual({
      data: { applyConfiguration: { applied: { requestId: expect.any(String) } } },
    });
  };
  const rows = async (sql: string) => (await query(home, sql)).map((row) => Object.values(row).map(Number));
  /** Counts what there is of a version. */
  const countOf = (version: number) =>
    rows(`SELECT count(*) AS policies, (SELECT count(*) FROM "IpPolicyRule" WHERE "cidr" LIKE '10.${version}.%') AS rules
      FROM "IpPolicy" WHERE "description" = 'version ${version}'`);
  /** Counts the objects of any version, the names that the document has given, and the events of each request that changed rules. */
  const countAll = async () => ({
    objects: await rows(
      'SELECT (SELECT count(*) FROM "IpPolicy") AS policies, (SELECT count(*) FROM "IpPolicyRule") AS rules',
    ),
    names: await rows('SELECT count(*) FROM "ConfiguredObject"'),
    events: await rows(`SELECT count(*) FROM "AuditEvent" WHERE "requestId" IN
      (SELECT "requestId" FROM "AuditEvent" WHERE "kind" = 'IpPolicyRule') GROUP BY "requestId" ORDER BY "requestId"`),
  });

  /** Waits until a moment, unless the process ends before. */
  const reach = async (moment: Moment, { child }: Process, version: number, tookMs: number) => {
    if (typeof moment === 'number') return pause(moment * tookMs);
    const bytes = walBytes(home);
    // SQLite's log grows by far more than the note of a last use while so much is written.
    const isWriting = async () =>
      inject('engine') === 'sqlite' ? walBytes(home) > bytes + 65_536 : (await rows(transactions)).length > 0;
    const isStored = async () => (await countOf(version))[0]?.[0] === policies;
    // Whoever looks between two moments sees no transaction any more, and then only what it has stored.
    await until(
      async () => child.exitCode !== null || (moment === 'writing' && (await isWriting())) || (await isStored()),
    );
  };

  const first = await readyServer(database);
  const begunMs = performance.now();
  await apply(first.url, 0);
  const ofServerMs = performance.now() - begunMs;
  first.child.kill('SIGKILL');
  await first.ended;
  const created = policies * (1 + rulesOfPolicy);
  const changed = policies * (1 + 2 * rulesOfPolicy);
  const expected = { objects: [[policies, policies * rulesOfPolicy]], names: [[policies]], events: [[created]] };
  expect(await countAll()).toEqual(expected);

  const rounds: readonly [by: 'server' | 'command', Moment][] = [
    ['server', 0.1],
    ['server', 'writing'],
    ['server', 'stored'],
    ['command', 'writing'],
    ['command', 'stored'],
  ];
  const outcomes: string[] = [];
  let standing = 0;
  for (const [index, [by, moment]] of rounds.entries()) {
    const next = index + 1;
    writeFileSync(file, JSON.stringify(documentOf(next)));
    const server = by === 'server' ? await readyServer(database) : null;
    const applying = server ?? start('cli', ['apply', '-f', file], database.environment);
    const applied = server === null ? null : apply(server.url, next).catch(() => null);
    await reach(moment, applying, next, ofServerMs);
    applying.child.kill('SIGKILL');
    await applying.ended;
    await applied;
    // PostgreSQL carries out what has arrived before it notices that the client is gone.
    await until(async () => inject('engine') === 'sqlite' || (await rows(others)).length === 0);
    const isThere = (await countOf(next))[0]?.[0] !== 0;
    outcomes.push(`${by} ${moment}: ${isThere ? 'all' : 'nothing'}`);
    if (isThere) {
      standing = next;
      expected.events.push([changed]);
    }
    expect(await countOf(standing)).toEqual([[policies, policies * rulesOfPolicy]]);
    expect(await countAll()).toEqual(expected);
    const { changes } = await commandJson(database, ['plan', '-f', file]);
    expect([outcomes, changes.length]).toEqual([outcomes, isThere ? 0 : policies]);
  }
  expect(outcomes).toEqual(
    expect.arrayContaining(['server 0.1: nothing', 'server stored: all', 'command stored: all']),
  );

  expect(await findUnrecorded(home)).toEqual([]);
  const storage = await visitDatabase(readConfig(database.environment));
  await chainEvents(storage.server, new Date(), new AbortController().signal);
  await storage.close();
  expect(await command(database, ['audit', 'verify'])).toMatchObject({ code: 0, errors: '' });
});

/** The transactions in PostgreSQL that have written something. */
const transactions = 'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND backend_xid IS NOT NULL';
/** The other clients of a database. */
const others = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
