// The hash chain of a trail, against everything that somebody with the database can do to it.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { chainEvents } from '../../../src/areas/audit-events/chain/chaining-store.ts';
import {
  chainOf,
  countUnchained,
  type MomentReads,
  verifyTrail,
} from '../../../src/areas/audit-events/chain/reading-store.ts';
import { readPublicKey, type SignedCheckpoint } from '../../../src/areas/audit-events/chain/rules.ts';
import { chainUpkeep } from '../../../src/areas/audit-events/chain/upkeep.ts';
import { createVerifier, TrailFault } from '../../../src/areas/audit-events/chain/verifying.ts';
import { auditUpkeep } from '../../../src/areas/audit-events/upkeep.ts';
import { createIpPolicy } from '../../../src/areas/ip-policies/store.ts';
import { parseTimestamp } from '../../../src/domain/values/time.ts';
import { chooseEngine } from '../../../src/storage/lifecycle/choose-engine.ts';
import { copyDatabase } from '../../../src/storage/lifecycle/open.ts';
import { createServerReads } from '../../../src/storage/objects/server-scope.ts';
import { sql } from '../../../src/storage/sql/statement.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { createEventReads } from '../../../src/storage/trail/event-reads.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { temporaryDirectory } from '../../storage/fixtures/temporary.ts';
import { byEngine, execute, makeDatabase, type TestDatabase } from '../../support/database.ts';
import { createCluster, send } from '../../support/postgres.ts';
import { accountOf, repeatableBytes, startService, startTime, type TestService } from '../../support/service.ts';

let shared: TestService;
let service: TestService;
let accountId: string;
beforeAll(async () => {
  shared = await startService();
});
afterAll(() => shared.close());
beforeEach(async () => {
  service = await shared.asNewAccount();
  accountId = await accountOf(service);
});

/** The secret key of test services. */
const secretKey = repeatableBytes('secret key')(32);
const never = new AbortController().signal;
/** The time at which events are chained, in minutes after the start. */
let minutes = 0;
const timeOf = (minute: number) => new Date(startTime.getTime() + minute * 60_000);
const ofDays = (days: number) => days * 24 * 60;
/** Chains what is new, once it is settled: on PostgreSQL, other tests can hold that up. */
const chain = () =>
  vi.waitFor(
    async () => {
      minutes += 1;
      await chainEvents(service.storage.server, timeOf(minutes), never);
      const later = await reading(service.database, async (moment) =>
        countUnchained(moment, await chainOf(moment, accountId)),
      );
      expect(later).toBe(0);
    },
    { timeout: 60_000, interval: 50 },
  );
/** Chains what is new, and lets a checkpoint be signed. */
const checkpoint = async () => {
  await chain();
  minutes += 60;
  await chain();
};

const reading = <T>({ engine }: Pick<TestDatabase, 'engine'>, work: (moment: MomentReads) => Promise<T>) =>
  engine.reading((database) =>
    work({
      ...createServerReads(database, engine.dialect),
      events: createEventReads(database, engine.dialect),
    }),
  );
/** Verifies the trail of the account; returns what was verified, or what is wrong first. */
const verify = (
  mine: readonly SignedCheckpoint[] = [],
  given: { trusted?: string; database?: Pick<TestDatabase, 'engine'> } = {},
) =>
  reading(given.database ?? service.database, async (moment) => {
    const found = await chainOf(moment, accountId);
    const key = given.trusted === undefined ? null : readPublicKey(given.trusted);
    try {
      const verifier = createVerifier(found, { key, checkpoints: mine, restored: null });
      const { events, pruned, checkpoints, unsigned } = await verifyTrail(moment, found, verifier);
      return { events, pruned, checkpoints, unsigned, unchained: await countUnchained(moment, found) };
    } catch (error) {
      if (!(error instanceof TrailFault)) throw error;
      return [error.kind, error.eventId ?? error.message];
    }
  });
const inOrder = async () =>
  (
    await execute(
      service.database,
      `SELECT "id" FROM "AuditEvent" WHERE "accountId" = '${accountId}' ORDER BY "commitOrder", "id"`,
    )
  ).map(([id]) => String(id));
const policy = async (description: string) => {
  const { status, body } = await service.rest('POST', '/ip_policies', { description });
  expect(status).toBe(201);
  return body.id;
};
/** Returns the checkpoints of the account, oldest first, as a client keeps them. */
const kept = async (): Promise<(SignedCheckpoint & { publicKey: string })[]> => {
  const { body } = await service.rest('GET', '/audit_checkpoints');
  return body.audit_checkpoints
    .map(({ account_id, created_at, public_key, ...rest }: Record<string, string>) => ({
      ...rest,
      accountId: account_id,
      publicKey: public_key,
      createdAt: parseTimestamp('created_at', created_at ?? ''),
    }))
    .toReversed();
};

describe('an account whose trail nobody has touched', () => {
  test('is verified up to its checkpoints, with what came later', async () => {
    await policy('one');
    await checkpoint();
    await policy('two');
    await chain();
    await policy('three');
    expect(await verify()).toEqual({ events: 4, pruned: 0, checkpoints: 1, unsigned: 1, unchained: 1 });
    const checkpoints = await kept();
    expect(checkpoints).toEqual([
      {
        id: expect.stringMatching(/^ackp_/),
        uri: `https://sallyport.test/audit_checkpoints/${Reflect.get(checkpoints[0] ?? {}, 'id')}`,
        createdAt: expect.any(Date),
        accountId,
        number: 1,
        size: 3,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        head: expect.stringMatching(/^[0-9a-f]{64}$/),
        signature: expect.stringMatching(/^[\w+/]{86}==$/),
        publicKey: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n[\w+/=]{60}\n-----END PUBLIC KEY-----\n$/),
      },
    ]);
    expect(await verify(checkpoints, { trusted: checkpoints[0]?.publicKey ?? '' })).toMatchObject({ events: 4 });
    expect(await service.graphql('{ auditCheckpoints { nodes { accountId } } }')).toMatchObject({
      data: { auditCheckpoints: { nodes: [{ accountId }] } },
    });
  });

  test('is verified by hashes of the database alone, whatever is written in it', async () => {
    await policy(`"\\/'<\u007f\u0080\u2028\ufeff\ud83d\ude00 \t\n`);
    await checkpoint();
    const verified = await reading(service.database, async (moment) => {
      const found = await chainOf(moment, accountId);
      const byIds = () => Promise.reject(new Error('An event was read.'));
      const events = { ...moment.events, byIds };
      return verifyTrail(
        { ...moment, events },
        found,
        createVerifier(found, { key: null, checkpoints: [], restored: null }),
      );
    });
    expect(verified).toMatchObject({ events: 3, checkpoints: 1 });
  });

  test('is verified over many segments, whose events were there before the chain', async () => {
    const many = Array.from({ length: 300 }, (_, index) => ({
      cidr: `10.0.${index >> 8}.${index & 255}/32`,
      action: 'allow',
    }));
    const id = await policy('many');
    for (let turn = 0; turn < 4; turn += 1) {
      const { errors } = await service.graphql(
        `mutation ($id: ID!, $rules: [NewIpPolicyRuleInput!]!) {
          replaceIpPolicyRules(input: { ipPolicyId: $id, rules: $rules }) { ipPolicyRules { id } } }`,
        { id, rules: turn % 2 === 0 ? many : [] },
      );
      expect(errors).toBe(undefined);
    }
    await checkpoint();
    expect(await verify()).toMatchObject({
      events: (await inOrder()).length,
      unsigned: 0,
      unchained: 0,
      checkpoints: 2,
    });
  });
});

describe('names what was done to the trail first', () => {
  let ids: string[];
  beforeEach(async () => {
    for (const name of ['one', 'two', 'three', 'four']) await policy(name);
    await checkpoint();
    await policy('five');
    await checkpoint();
    ids = await inOrder();
  });
  const tampered = async (...statements: string[]) => {
    await execute(service.database, ...statements);
    return verify();
  };

  test.each([
    `"state" = replace("state", 'two', 'owt')`,
    `"actor" = 'cli'`,
    `"createdAt" = '2026-11-20T20:00:00.000+00:00'`,
    `"clientAddress" = NULL`,
  ])('changed: %s', async (change) => {
    expect(await tampered(`UPDATE "AuditEvent" SET ${change} WHERE "id" = '${ids[3]}'`)).toEqual(['changed', ids[3]]);
  });
  test('removed', async () => {
    const gone = `DELETE FROM "AuditEvent" WHERE "id" IN ('${ids[4]}', '${ids[2]}')`;
    expect(await tampered(gone)).toEqual(['removed', ids[2]]);
  });
  test('put in', async () => {
    const columns = '"createdAt", "action", "kind", "actor", "actorDescription", "surface", "state"';
    const insert = `INSERT INTO "AuditEvent" ("id", "accountId", "objectId", "version", "commitOrder", ${columns})
      SELECT 'evt_forged', "accountId", 'ipp_forged', 1, "commitOrder", ${columns} FROM "AuditEvent" WHERE "id" = '${ids[2]}'`;
    expect(await tampered(insert)).toEqual(['added', 'evt_forged']);
  });
  test('moved to the end', async () => {
    const last = `SELECT max("commitOrder") FROM "AuditEvent" WHERE "accountId" = '${accountId}'`;
    const move = `UPDATE "AuditEvent" SET "commitOrder" = (${last}) WHERE "id" = '${ids[2]}'`;
    expect(await tampered(move)).toEqual(['changed', ids[2]]);
  });
  test('two in the middle changed places', async () => {
    const [one, other] = [ids[2], ids[3]];
    const places = Object.fromEntries(
      await execute(
        service.database,
        `SELECT "id", "commitOrder" FROM "AuditEvent" WHERE "id" IN ('${one}', '${other}')`,
      ),
    );
    const swap = [one, other].map(
      (id) =>
        `UPDATE "AuditEvent" SET "commitOrder" = ${places[String(id === one ? other : one)]} WHERE "id" = '${id}'`,
    );
    expect(await tampered(...swap)).toEqual(['changed', one]);
  });
  test('a change together with its hash, for which nobody has the key', async () => {
    const leaf = `UPDATE "AuditSegment" SET "leaves" = replace("leaves", '${ids[2]}', '${ids[2]}0')
      WHERE "accountId" = '${accountId}'`;
    const event = `UPDATE "AuditEvent" SET "id" = '${ids[2]}0' WHERE "id" = '${ids[2]}'`;
    expect(await tampered(leaf)).toEqual(['added', ids[2]]);
    expect(await tampered(event)).toEqual(['changed', `${ids[2]}0`]);
  });
  test('the hashes of events that are not old', async () => {
    expect(await tampered(`DELETE FROM "AuditSegment" WHERE "accountId" = '${accountId}' AND "number" = 1`)).toEqual([
      'chain',
      'The hashes of the events up to checkpoint 1 are missing.',
    ]);
  });
  test('a forged statement that old events were deleted', async () => {
    expect(
      await tampered(`UPDATE "AuditChain" SET "prunedBefore" = 'evt_7' WHERE "accountId" = '${accountId}'`),
    ).toEqual(['chain', 'The statement about events that were deleted because of their age is forged.']);
  });
  test('the end of the chain was cut off, for who has kept a checkpoint', async () => {
    const mine = await kept();
    const where = `"accountId" = '${accountId}'`;
    const [last] = ids.slice(-1);
    const cut = await tampered(
      `DELETE FROM "AuditEvent" WHERE "id" = '${last}'`,
      `DELETE FROM "AuditCheckpoint" WHERE ${where} AND "number" = 2`,
      `DELETE FROM "AuditSegment" WHERE ${where} AND "number" = 2`,
      `UPDATE "AuditChain" SET "checkpoints" = 1, "size" = 6, "head" = '${mine[0]?.head}' WHERE ${where}`,
    );
    expect(cut).toMatchObject({ checkpoints: 1 });
    expect(await verify(mine)).toEqual(['chain', expect.stringMatching(/^The trail ends before checkpoint 2 of /)]);
  });
  test('it was written anew with another key, for who has kept the key', async () => {
    const mine = await kept();
    const where = `WHERE "accountId" = '${accountId}'`;
    await execute(
      service.database,
      `DELETE FROM "AuditEvent" WHERE "id" = '${ids[2]}'`,
      ...['AuditCheckpoint', 'AuditSegment', 'AuditChain'].map((table) => `DELETE FROM "${table}" ${where}`),
    );
    await checkpoint();
    expect(await verify()).toMatchObject({ events: 6 });
    expect(await verify([], { trusted: mine[0]?.publicKey ?? '' })).toEqual([
      'chain',
      'The trail is signed with another key than the one that you have.',
    ]);
    expect(await verify(mine)).toEqual([
      'chain',
      'The checkpoint 1 that you have was not signed with the key of this trail.',
    ]);
  });
});

test('old events are deleted without a fault, and what is left stays verifiable', async () => {
  const id = await policy('one');
  await service.rest('PATCH', `/ip_policies/${id}`, { description: 'changed' });
  await service.rest('DELETE', `/ip_policies/${await policy('gone')}`);
  await checkpoint();
  const before = await inOrder();
  const inTime = new Date(startTime.getTime() + 500 * 86_400_000);
  service.setTime(inTime);
  await policy('later');
  minutes = ofDays(500);
  await checkpoint();
  await auditUpkeep(400).hourly?.(service.storage.server, inTime, never);
  expect(await inOrder()).not.toEqual(expect.arrayContaining(before));
  expect(await verify(await kept())).toMatchObject({ pruned: 3, checkpoints: 2, unchained: 0 });
  // Nothing but its age allows an event to be missing.
  const [, last] = (await inOrder()).slice(-2);
  await execute(service.database, `DELETE FROM "AuditEvent" WHERE "id" = '${last}'`);
  expect(await verify()).toEqual(['removed', last]);
});

/** Copies a database in each way that there is on the engine; returns the engines of the copies. */
const moved = byEngine({
  sqlite: async ({ engine }: TestDatabase) => {
    const file = join(temporaryDirectory(), 'copy.db');
    await engine.backUp(file);
    return [chooseEngine(`file:${file}`)];
  },
  postgresql: async ({ engine, url }: TestDatabase) => {
    const onSqlite = await makeDatabase({ kind: 'sqlite' });
    const back = await makeDatabase();
    const cluster = createCluster(['listen_addresses=', 'fsync=off']);
    onTestFinished(async () => {
      await Promise.all([onSqlite.remove(), back.remove(), cluster.stop()]);
    });
    await copyDatabase({ secretKey }, [engine, onSqlite.engine], {});
    await copyDatabase({ secretKey }, [onSqlite.engine, back.engine], {});
    await cluster.start();
    const dump = execFileSync('pg_dump', ['--no-owner', '--rows-per-insert=100', url], { maxBuffer: 2 ** 28 });
    // Lines with a backslash are for psql.
    await send(cluster.url, `${dump}`.replace(/^\\.*$/gm, ''));
    return [onSqlite.engine, back.engine, chooseEngine(cluster.url)];
  },
});

test('a trail stays verifiable in copies, backups and restored dumps of its database, and goes on there', async () => {
  await policy('one');
  await checkpoint();
  const mine = await kept();
  await policy('two');
  for (const engine of await moved(service.database)) {
    const now = timeOf(minutes);
    const storage = await openStorage({ engine, now: () => now, randomBytes, secretKey: () => secretKey });
    onTestFinished(() => storage.close());
    await createIpPolicy(storage.actingFor(accountId, commandLine), { description: 'three', metadata: '' });
    const goesOn = async () => {
      await storage.server.change(sql`DELETE FROM "ServerFact" WHERE "name" = 'auditChainRound'`);
      await chainEvents(storage.server, now, never);
      return verify(mine, { database: { engine } });
    };
    const expected = { events: 5, pruned: 0, checkpoints: 1, unsigned: 2, unchained: 0 };
    // On PostgreSQL, transactions of other tests can keep the event from being settled.
    await expect.poll(goesOn, { timeout: 30_000 }).toEqual(expected);
  }
}, 60_000);

test('several servers chain the same events once', async () => {
  for (const name of ['one', 'two', 'three']) await policy(name);
  minutes = ofDays(900);
  await Promise.all([1, 2, 3].map((later) => chainEvents(service.storage.server, timeOf(minutes + later), never)));
  minutes += 63;
  await chain();
  expect(await verify()).toMatchObject({ events: 5, unsigned: 0 });
});

test('metrics and doctor tell how far the chain is behind', async () => {
  minutes = ofDays(2_000);
  await checkpoint();
  service.setTime(timeOf(minutes));
  await policy('late');
  const later = timeOf(minutes + 120);
  const told = async () => [
    await chainUpkeep.gauges?.[0]?.count(service.storage.server, later),
    (await chainUpkeep.check?.(service.storage.server, later))?.map(({ level, message }) => `${level} ${message}`),
  ];
  expect(await told()).toEqual([
    [{ labels: {}, count: 7_200 }],
    ['warn Audit events have not been in the hash chain for 120 minutes.'],
  ]);
  await chain();
  expect(await told()).toEqual([
    [{ labels: {}, count: 0 }],
    ['ok The audit events are in the hash chain, or younger than 1 minutes.'],
  ]);
});

test('keys of chains differ', async () => {
  const other = await service.otherAccount('other');
  await checkpoint();
  const [{ public_key: own }] = (await service.rest('GET', '/audit_checkpoints')).body.audit_checkpoints;
  const [{ public_key: others }] = (await other.rest('GET', '/audit_checkpoints')).body.audit_checkpoints;
  expect(own).not.toBe(others);
});
