// Measures what the trail takes: bytes of an event on disk, and what a change writes, on both engines.

import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { createIpPolicy, ipPolicies } from '../src/areas/ip-policies/store.ts';
import { createNewId, type Kind } from '../src/domain/values/ids.ts';
import { chooseEngine } from '../src/storage/lifecycle/choose-engine.ts';
import { sql, verbatim } from '../src/storage/sql/statement.ts';
import { Sqlite } from '../src/storage/sqlite/driver.ts';
import { openStorage, type Storage } from '../src/storage/storage.ts';
import { commandLine } from '../src/storage/trail/origin.ts';
import { type Finding, spreadOf } from './figures.ts';
import { createPostgresPlace, type Place, readOne } from './places.ts';
import { makeTemplate, notes, type Template } from './template.ts';

const eventCount = 300_000;
/** Events that one statement adds. */
const eventsAtOnce = 2_000;
/** Changes that are counted together: fewer than after which SQLite would begin its log anew. */
const changeCount = 100;
/** Policies that are changed. */
const policyCount = 1_000;

/** The text above the table. */
export const sizeWords = `A trail of ${eventCount} events of one account, as objects of some kinds are created, changed and deleted by six actors: bytes on disk for each event with its
indexes, and what one change writes with its event: pages of 4 KiB into the log of SQLite, bytes into that of PostgreSQL.`;

/** Measures the size on both engines. */
export async function measureTrailSize(sqlite: Place, log: (message: string) => void): Promise<Finding[]> {
  const postgres = await createPostgresPlace(undefined);
  try {
    const findings: Finding[] = [];
    for (const place of [sqlite, postgres]) {
      log(`Making a trail of ${eventCount} events on ${place.engine}.`);
      const template = await makeTemplate(place, 'size', policyCount);
      const storage = await open(template);
      await addEvents(storage);
      await storage.close();
      await place.settle(template.url);
      findings.push(...(await (place === sqlite ? measureSqlite : measurePostgres)(template)));
    }
    return findings;
  } finally {
    await postgres.remove();
  }
}

const finding = (what: string, value: number, atMost?: number): Finding => ({
  what,
  spread: spreadOf([value]),
  goal: atMost === undefined ? null : { atMost },
});

function open({ url, secretKey }: Template): Promise<Storage> {
  const key = Buffer.from(secretKey, 'base64');
  return openStorage({ engine: chooseEngine(url), now: () => new Date(), randomBytes, secretKey: () => key });
}

/** Kinds of objects, each with how often it is among ten events. */
const kindsOfTen: readonly Kind[] = [
  'IpPolicy',
  'IpPolicy',
  'IpPolicy',
  'IpPolicyRule',
  'IpPolicyRule',
  'IpRestriction',
  'SshHostCertificate',
  'SshHostCertificate',
  'TlsEdge',
  'HttpsEdgeRoute',
];

/** Adds events to the trail of the one account, bypassing the changes that they are of. */
async function addEvents({ server }: Storage): Promise<void> {
  const [first] = await server.rows(
    sql`SELECT "accountId", "createdAt", "state", "actor" FROM "AuditEvent" WHERE "kind" = 'IpPolicy' LIMIT 1`,
  );
  const [accountId, createdAt, state] = (first ?? []).map(String);
  // Half a minute between two of them.
  let ms = Date.UTC(2026, 0, 1);
  const newId = createNewId(() => ms, randomBytes);
  const actors = [...Array.from({ length: 4 }, () => newId('ApiKey')), 'cli', 'user'];
  const alive: { kind: Kind; id: string; version: number }[] = [];
  // The same sequence in each run.
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let done = 0; done < eventCount; done += eventsAtOnce) {
    const rows = Array.from({ length: eventsAtOnce }, () => {
      ms += 30_000;
      const dice = random(100);
      const at = random(Math.max(1, alive.length));
      const known = dice < 65 ? alive[at] : undefined;
      const [id, actor, requestId] = [newId('AuditEvent'), actors[random(actors.length)], newId('Request')];
      if (dice === 99) return [id, 'refuse', 'Request', requestId, 0, actor, requestId];
      if (known === undefined) {
        const kind = kindsOfTen[random(kindsOfTen.length)] ?? 'IpPolicy';
        const object = { kind, id: newId(kind), version: 1 };
        alive.push(object);
        return [id, 'create', kind, object.id, 1, actor, requestId];
      }
      known.version += 1;
      if (dice >= 10) return [id, 'update', known.kind, known.id, known.version, actor, requestId];
      alive.splice(at, 1);
      return [id, 'delete', known.kind, known.id, known.version, actor, requestId];
    });
    const list = server.json.entries(JSON.stringify(rows));
    const version = verbatim(server.json.stored.Int('e.value ->> 4'));
    const number = sql`(SELECT max(n."commitOrder") FROM "AuditEvent" n WHERE n."accountId" = ${accountId})`;
    await server.change(sql`INSERT INTO "AuditEvent" ("id", "accountId", "createdAt", "action", "kind", "objectId", "version", "actor",
        "actorDescription", "requestId", "surface", "clientAddress", "state", "commitOrder")
      SELECT e.value ->> 0, ${accountId}, ${verbatim('x."createdAt"')}, e.value ->> 1, e.value ->> 2, e.value ->> 3, ${version},
        e.value ->> 5, 'continuous integration', e.value ->> 6, 'rest', '192.0.2.17', ${state}, ${number}
        FROM ${list} AS e, (SELECT "createdAt" FROM "AuditEvent" WHERE "accountId" = ${accountId} LIMIT 1) AS x`);
  }
  if (createdAt === undefined) throw new Error('There is no event of a policy.');
}

/** Changes some policies, and then creates some. Returns what each change has written, as `written` tells it. */
async function costOfChanges(
  template: Template,
  written: () => Promise<number>,
): Promise<[patch: number, post: number]> {
  const storage = await open(template);
  const [account] = await storage.server.rows(sql`SELECT "accountId" FROM "IpPolicy" LIMIT 1`);
  const scope = storage.actingFor(String(account?.[0]), commandLine);
  const costOf = async (change: (n: number) => Promise<unknown>) => {
    const before = await written();
    for (let n = 0; n < changeCount; n += 1) await change(n);
    return ((await written()) - before) / changeCount;
  };
  const patch = await costOf((n) =>
    ipPolicies.update(scope, template.ids[(n * 7) % policyCount] ?? '', { metadata: notes.metadata }, undefined),
  );
  const post = await costOf(() => createIpPolicy(scope, notes));
  await storage.close();
  return [patch, post];
}

async function measureSqlite(template: Template): Promise<Finding[]> {
  const path = template.url.slice('file:'.length);
  const database = new Sqlite(path);
  const rows = database
    .prepare<[], { name: string; bytes: number }>(
      `SELECT name, sum(pgsize) AS bytes FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name = 'AuditEvent') GROUP BY name ORDER BY name`,
    )
    .all();
  database.close();
  const [patch, post] = await costOfChanges(template, async () => statSync(`${path}-wal`).size / 4_120);
  return [
    finding('Bytes per event, SQLite', rows.reduce((sum, { bytes }) => sum + bytes, 0) / eventCount, 600),
    ...rows.map(({ name, bytes }) => finding(`of which \`${name}\``, bytes / eventCount)),
    finding('Pages per PATCH, SQLite', patch),
    finding('Pages per POST, SQLite', post),
  ];
}

async function measurePostgres(template: Template): Promise<Finding[]> {
  const read = async (query: string) => Number(await readOne(template.url, query));
  const sizes = await readOne(
    template.url,
    `SELECT json_agg(json_build_array(c.relname, pg_table_size(c.oid)) ORDER BY c.relname)::text FROM pg_class c
     WHERE c.oid = '"AuditEvent"'::regclass OR c.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = '"AuditEvent"'::regclass)`,
  );
  const rows: [string, number][] = JSON.parse(String(sizes));
  const [patch, post] = await costOfChanges(template, () => read(`SELECT pg_current_wal_insert_lsn() - '0/0'`));
  return [
    finding('Bytes per event, PostgreSQL', rows.reduce((sum, [, bytes]) => sum + bytes, 0) / eventCount),
    ...rows.map(([name, bytes]) => finding(`of which \`${name}\``, bytes / eventCount)),
    finding('Bytes per PATCH, PostgreSQL', patch),
    finding('Bytes per POST, PostgreSQL', post),
  ];
}
