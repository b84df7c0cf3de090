// Copies between databases. The copy of the engine of the run into SQLite and back reads and writes both; all others stay on one engine.

import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Engine } from '../../src/storage/engine.ts';
import type { PrismaClient } from '../../src/storage/generated/client/client.ts';
import { getDatamodel } from '../../src/storage/generated/pothos.ts';
import type { CopyWatching } from '../../src/storage/lifecycle/copy.ts';
import { migrate } from '../../src/storage/lifecycle/migrate.ts';
import { copyDatabase } from '../../src/storage/lifecycle/open.ts';
import { openStorage, type Storage } from '../../src/storage/storage.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { routes } from '../../src/surfaces/rest/routes.ts';
import { samples } from '../areas/ssh/samples.ts';
import { createWorld, fillPath } from '../http/world.ts';
import { DashboardBrowser } from '../support/dashboard-browser.ts';
import { byEngine, endHold, executeNow, makeDatabase, type TestDatabase } from '../support/database.ts';
import { honestLogout, logoutXml, signedQuery } from '../support/identity-provider.ts';
import { Browser, host, idpKey, logIn, makePlace, post, respond } from '../support/login.ts';
import { countsIn } from '../support/object-counts.ts';
import { makeApprovals } from '../support/people.ts';
import {
  accountOf,
  baseUrl,
  createClient,
  repeatableBytes,
  startService,
  startTime,
  type TestService,
} from '../support/service.ts';
import { startWholeServer } from '../support/whole-server.ts';
import { liveTimers, temporaryDirectory } from './fixtures/temporary.ts';

/** The secret key of test services. */
const secretKey = repeatableBytes('secret key')(32);

/** Creates a database to copy into: migrated already, because migrating takes longer than a copy, unless `options` say otherwise. */
async function target(options: Parameters<typeof makeDatabase>[0] = {}): Promise<TestDatabase> {
  const database = await makeDatabase(options);
  onTestFinished(database.remove);
  return database;
}

/** Starts a service whose database is to be copied. */
async function sourceService(): Promise<TestService> {
  const service = await startService();
  onTestFinished(() => service.close());
  return service;
}

function copy(from: TestDatabase | TestService, to: TestDatabase, watching: CopyWatching = {}) {
  const { engine } = 'database' in from ? from.database : from;
  return copyDatabase({ secretKey }, [engine, to.engine], watching);
}

/** Opens a database as a server does. */
async function opened(engine: Engine): Promise<Storage> {
  const storage = await openStorage({
    engine,
    now: () => startTime,
    randomBytes: repeatableBytes('copy'),
    secretKey: () => secretKey,
  });
  onTestFinished(() => storage.close());
  return storage;
}

/** Runs work with a Prisma client on a database. */
async function withClient<T>(engine: Engine, work: (client: PrismaClient) => Promise<T>): Promise<T> {
  const database = await engine.open({});
  try {
    return await work(database.client);
  } finally {
    await database.close();
  }
}

/** Returns all rows of all models, as Prisma reads them. */
async function allRows(engine: Engine): Promise<Record<string, unknown[]>> {
  return withClient(engine, async (client) => {
    const found: Record<string, unknown[]> = {};
    for (const model of Object.keys(getDatamodel().datamodel.models)) {
      const name = `${model.charAt(0).toLowerCase()}${model.slice(1)}`;
      // Each model has a delegate of this name with this method.
      const { findMany } = (client as unknown as Record<string, { findMany(): Promise<object[]> }>)[name] ?? {};
      const rows = (await findMany?.()) ?? [];
      const textOf = (row: object) =>
        JSON.stringify(row, (_key, value) => (typeof value === 'bigint' ? `${value}` : value));
      found[model] = rows.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
    }
    return found;
  });
}

const rowsIn = (rows: Record<string, unknown[]>) => Object.values(rows).flat().length;

/** Returns the answers to every GET of the REST surface, and the files that need no key. */
async function answers(service: TestService, storage: Storage, id: (collection: string) => string) {
  const server = await startWholeServer({ ...service, storage });
  onTestFinished(() => server.cut());
  const client = createClient(server.url, service.token);
  const found: [string, number, unknown][] = [];
  for (const { method, path } of routes) {
    if (method !== 'GET') continue;
    const { status, body } = await client.rest(method, fillPath(path, id));
    found.push([path, status, JSON.parse(JSON.stringify(body).replaceAll(server.url, 'URL'))]);
  }
  const authority = id('/ssh_certificate_authorities');
  const list = await fetch(`${server.url}/ssh_certificate_authorities/${authority}/krl`);
  found.push(['krl', list.status, [...new Uint8Array(await list.arrayBuffer())].length]);
  return { client, found };
}

describe('a copy', () => {
  test('into SQLite and back has every row, answers the same, and signs with the keys that came along', async () => {
    const service = await sourceService();
    const id = await createWorld(service);
    await createWorld(await service.otherAccount('other'));
    const certificate = {
      ssh_certificate_authority_id: id('/ssh_certificate_authorities'),
      public_key: (await service.rest('GET', fillPath('/ssh_host_certificates/{id}', id))).body.public_key,
      principals: ['a.example.com'],
    };
    const revoked = (await service.rest('POST', '/ssh_host_certificates', certificate)).body.id;
    await service.rest('DELETE', `/ssh_host_certificates/${revoked}`);
    // A host that has proved possession of its key.
    const proof = await samples.proofs?.['POST /ssh_enrollments']?.(service);
    expect((await service.rest('POST', '/ssh_enrollments', proof?.body)).status).toBe(201);
    // A deleted authority with a revocation.
    const deleted = (await service.rest('POST', '/ssh_certificate_authorities')).body.id;
    await service.rest('POST', '/ssh_host_certificates', { ...certificate, ssh_certificate_authority_id: deleted });
    await service.rest('DELETE', `/ssh_certificate_authorities/${deleted}?revoke_certificates=true`);
    await service.rest('DELETE', `/api_keys/${(await service.rest('POST', '/api_keys', {})).body.id}`);
    await service.storage.upkeep();
    await service.storage.activity.store();
    await service.rest('POST', '/ip_policies', {}, { 'Idempotency-Key': 'k' });
    await new DashboardBrowser(service).signIn(service.token);
    // A session, a login whose session has not been fetched yet, and a user whom the identity provider has logged out.
    const unrestricted = { ...service, ...(await service.otherAccount('users')) };
    const place = await makePlace(unrestricted);
    await logIn(unrestricted, new Browser(service), place);
    await post(unrestricted, place, respond(place, null));
    // A login to a long address, which is kept here.
    await new Browser(service).open(place, `https://${host}/app?${'a'.repeat(400)}`);
    const slo = place.acs.replace(/acs$/, 'slo');
    const content = '<saml:NameID>bob</saml:NameID>';
    const loggedOut = signedQuery(logoutXml({ ...honestLogout(slo, startTime), content }), idpKey);
    expect((await fetch(`${slo.replace(baseUrl, service.url)}?${loggedOut}`)).status).toBe(200);

    await makeApprovals(service, await accountOf(service));
    // Rows of tables that only work beside requests fills, or a provider where people sign in.
    await withClient(service.database.engine, async (client) => {
      const { accountId, id: providerId } = await client.signInProvider.findFirstOrThrow();
      const at = startTime;
      const person = {
        subject: 'amy',
        name: 'Amy',
        email: '',
        createdAt: at,
        updatedAt: at,
        signedInAt: at,
        lastSeenAt: at,
      };
      await client.person.create({ data: { ...person, id: 'person_1', accountId, providerId, subjectHash: 'a' } });
      await client.usedSignIn.create({ data: { accountId, providerId, idHash: 'b', usableUntil: at } });
      await client.webhookAttention.create({ data: { accountId, items: '{}', token: 'c' } });
      await client.trailReceiver.create({ data: { name: 'file', leaseUntil: at } });
      await client.trailPosition.create({ data: { receiver: 'file', accountId, commitOrder: 1n, eventId: 'g' } });
      await client.configuredObject.create({
        data: { objectId: 'd', accountId, document: 'e', kind: 'Role', name: 'f', sealedSecrets: null },
      });
    });

    const there = await target({ kind: 'sqlite', migrated: false });
    const first = await copy(service, there);
    // From SQLite, the way back would be the same again.
    const copies = [there, ...(inject('engine') === 'postgresql' ? [await target({ migrated: false })] : [])];
    for (const back of copies.slice(1)) expect((await copy(there, back)).tables).toEqual(first.tables);
    const before = await allRows(service.database.engine);
    expect(Object.keys(before).filter((model) => before[model]?.length === 0)).toEqual([]);
    for (const database of copies) {
      expect(await allRows(database.engine)).toEqual(before);
      // Counted while they were stored.
      const { kept, rows } = await countsIn(database);
      expect(kept).toEqual(rows);
    }
    expect(Object.entries(first.tables).map(([name, { rows }]) => [name, rows])).toEqual(
      expect.arrayContaining(Object.entries(before).map(([name, rows]) => [name, rows.length])),
    );

    const columns = Object.values(before).flatMap((rows) => rows.flatMap((row) => Object.entries(Object(row))));
    const secrets = columns.filter(([name, value]) => name.startsWith('sealed') && value !== null).length;
    expect(secrets).toBeGreaterThan(0);

    const expected = (await answers(service, service.storage, id)).found;
    expect(expected.filter(([, status]) => status !== 200)).toEqual([]);
    for (const database of copies) {
      const storage = await opened(database.engine);
      const { client, found } = await answers(service, storage, id);
      expect(found).toEqual(expected);
      expect((await client.rest('POST', '/ssh_host_certificates', certificate)).status).toBe(201);
      expect((await client.rest('DELETE', fillPath('/ip_policies/{id}', id))).status).toBe(204);
      // Opens every sealed key.
      expect(await storage.changeSecretKey(repeatableBytes('next key')(32))).toBe(secrets);
    }
  });

  test('has many rows, large rows and awkward values, page by page', async () => {
    const service = await sourceService();
    const accountId = 'acct_1';
    const notes = { accountId, createdAt: new Date('2026-11-20T21:00:00.007Z') };
    await withClient(service.database.engine, async (client) => {
      const policies = Array.from({ length: 1_300 }, (_, n) => ({ ...notes, id: `ipp_${n}`, description: `é💡 ${n}` }));
      await client.ipPolicy.createMany({ data: policies });
      const authority = { ...notes, id: 'sshca_1', keyType: 'ed25519', publicKey: 'a' };
      await client.sshCertificateAuthority.create({
        data: { ...authority, sealedPrivateKey: new Uint8Array([0, 255]) },
      });
      const moments = {
        validUntil: new Date('1970-01-01T00:00:00.001Z'),
        revokedAt: new Date('9999-12-31T23:59:59.999Z'),
      };
      const revocations = Array.from({ length: 1_100 }, (_, n) => {
        const serial = n % 2 === 0 ? BigInt(n) : 2n ** 63n - BigInt(n);
        return { accountId, sshCertificateAuthorityId: 'sshca_1', serial, ...moments };
      });
      await client.sshRevocation.createMany({ data: revocations });
      const json = [{ z: 1, a: [null, true, -1.5e-7, 1e21, 'é\u2028"\\'] }, '', 2 ** 53 + 2, []];
      const edges = Array.from({ length: 40 }, (_, n) => ({
        ...notes,
        id: `edgtls_${n}`,
        hostports: n % 2 ? json : [],
      }));
      await client.tlsEdge.createMany({ data: edges });
      const modules = edges.map((edge, n) => {
        return {
          accountId,
          edgeId: edge.id,
          enabled: n % 2 === 0,
          inbound: n % 3 ? 'x'.repeat(300_000) : null,
          outbound: '',
        };
      });
      for (const data of modules) await client.tlsPolicyModule.create({ data });
    });
    const to = await target();
    const { tables } = await copy(service, to);
    const before = await allRows(service.database.engine);
    expect(await allRows(to.engine)).toEqual(before);
    expect([tables.IpPolicy?.rows, tables.SshRevocation?.rows, tables.TlsPolicyModule?.rows]).toEqual([
      1_300, 1_100, 40,
    ]);
  });

  test('is of one moment while others write, whom it does not hold up', async () => {
    const service = await sourceService();
    const fill = Array.from({ length: 3_000 }, (_, n) => ({
      id: `ipp_${n}`,
      accountId: 'acct_1',
      createdAt: startTime,
    }));
    await withClient(service.database.engine, (client) => client.ipPolicy.createMany({ data: fill }));
    let [stop, written] = [false, 0];
    const writer = async () => {
      for (; !stop; written++) {
        // A row in a table that is copied before the many rows, then one in a table that is copied after them.
        expect((await service.rest('POST', '/api_keys', { description: `n${written}` })).status).toBe(201);
        expect((await service.rest('POST', '/edges/tls', { description: `n${written}` })).status).toBe(201);
      }
    };
    const writing = writer();
    while (written < 3) await new Promise(setImmediate);
    const before = written;
    const to = await target();
    const { tables } = await copy(service, to);
    const during = written;
    stop = true;
    await writing;
    // One key existed from the beginning.
    const [keys, edges] = [(tables.ApiKey?.rows ?? 0) - 1, tables.TlsEdge?.rows ?? 0];
    expect(edges).toBeGreaterThanOrEqual(before);
    expect(keys - edges).toBeOneOf([0, 1]);
    expect(during).toBeGreaterThan(keys);
  });

  test('leaves no timer behind that keeps the process alive', async () => {
    const service = await sourceService();
    const there = await target();
    const before = liveTimers();
    await copy(service, there);
    // Those of the service under test come and go; one that was left behind lasted ten seconds.
    await expect.poll(liveTimers, { timeout: 5_000 }).toBeLessThanOrEqual(before);
  });

  test('is not made into a database that is not empty', async () => {
    const [service, other] = [await sourceService(), await target()];
    await (await opened(other.engine)).accounts.create('theirs', commandLine);
    const before = await allRows(other.engine);
    for (const from of [service, other]) {
      const copying = copy(from, other);
      await expect(copying).rejects.toThrow(/is not empty: \w+ has rows\.|Servers use the database|in use by another/);
    }
    expect(await allRows(other.engine)).toEqual(before);
  });

  test('is not made into a database that a server has open', async () => {
    const [service, to] = [await sourceService(), await target()];
    const hold = await to.engine.hold('serve');
    const server = await to.engine.open({});
    await server.client.account.count();
    await expect(copy(service, to)).rejects.toThrow(/Servers use the database|is in use by another process/);
    await server.close();
    hold.release();
    expect(rowsIn(await allRows(to.engine))).toBe(0);
    expect((await copy(service, to)).tables.Account?.rows).toBe(1);
  });

  test('is not made into a database of another version', async () => {
    const service = await sourceService();
    const newer = await target();
    await migrateLater(newer.engine);
    await expect(copy(service, newer)).rejects.toThrow('is newer than this program: its newest migration is 2999');
  });

  test('that is ended leaves the target empty and says so, and succeeds the next time', async () => {
    const [service, to] = [await sourceService(), await target()];
    await createWorld(service);
    for (const step of ['copied', 'verified']) {
      const ending = new AbortController();
      const copying = copy(service, to, {
        signal: ending.signal,
        onProgress: (progress) => {
          if (progress.step === step && progress.done > 8) ending.abort(new Error('Stopped by SIGTERM.'));
        },
      });
      await expect(copying).rejects.toThrow(
        `Stopped by SIGTERM. Nothing was copied: the database ${to.engine.name} is empty.`,
      );
      expect(rowsIn(await allRows(to.engine))).toBe(0);
    }
    const steps: string[] = [];
    const { tables } = await copy(service, to, {
      onProgress: ({ step, done, total }) => steps.push(`${step} ${done} of ${total}`),
    });
    const total = Object.values(tables).reduce((sum, { rows }) => sum + rows, 0);
    expect(steps.at(-1)).toBe(`verified ${total} of ${total}`);
    expect(steps).toContain(`copied ${total} of ${total}`);
  });

  test('whose rows the target does not store as they are is undone', async () => {
    const [service, to] = [await sourceService(), await target()];
    await createWorld(service);
    await runScript(to.engine, byEngine(spoilers));
    await expect(copy(service, to)).rejects.toThrow(
      'Account has other values in the copy than in the source. ' +
        `Nothing was copied: the database ${to.engine.name} is empty.`,
    );
  });
});

/** Statements that make a database change the names of stored accounts. */
const spoilers = {
  sqlite: `CREATE TRIGGER spoil AFTER INSERT ON "Account" BEGIN UPDATE "Account" SET "name" = 'spoiled'; END;`,
  postgresql:
    `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW."name" = 'spoiled'; RETURN NEW; END $$;` +
    'CREATE TRIGGER spoil BEFORE INSERT ON "Account" FOR EACH ROW EXECUTE FUNCTION spoil();',
};

const runScript = (engine: Engine, script: string) =>
  engine.migrations.transact('rows', (connection) => connection.executeScript(script));

/** Copies the first migrations of an engine into a directory. */
function firstMigrations({ migrations }: Engine, count: number): string {
  const directory = temporaryDirectory();
  const names = readdirSync(migrations.directory).filter((name) => /^\d/.test(name));
  for (const name of ['migration_lock.toml', ...names.sort().slice(0, count)]) {
    cpSync(join(migrations.directory, name), join(directory, name), { recursive: true });
  }
  return directory;
}

/** Applies a migration of a later version. */
async function migrateLater(engine: Engine): Promise<void> {
  const directory = firstMigrations(engine, Number.POSITIVE_INFINITY);
  mkdirSync(join(directory, '29990101000000_later'));
  writeFileSync(join(directory, '29990101000000_later/migration.sql'), 'SELECT 1;');
  await migrate(engine, { directory });
}

describe('a source', () => {
  test('that is sealed under another key is refused before the target is touched', async () => {
    const [service, to] = [await sourceService(), await target({ migrated: false })];
    const { engine } = service.database;
    const wrong = copyDatabase({ secretKey: new Uint8Array(32) }, [engine, to.engine], {});
    await expect(wrong).rejects.toThrow(`SECRET_KEY is not the key that ${engine.name} was sealed with.`);
    await expect(copyDatabase({ secretKey: null }, [engine, to.engine], {})).rejects.toThrow(/[Ss]et SECRET_KEY/);
    expect(await to.engine.migrations.readHistory()).toEqual([]);
  });

  test('that no server has used yet has nothing to copy', async () => {
    const [from, to] = [await target(), await target()];
    await expect(copy(from, to)).rejects.toThrow(
      `There is nothing to copy: no server has used the database ${from.engine.name} yet.`,
    );
  });

  test('of a newer version, or that does not exist, is refused', async () => {
    const [newer, none, to] = [await target(), await target({ kind: 'sqlite', migrated: false }), await target()];
    await migrateLater(newer.engine);
    await expect(copy(newer, to)).rejects.toThrow('is newer than this program');
    await expect(copy(none, to)).rejects.toThrow(`There is no database at ${none.engine.name}.`);
  });

  test('of an older version is refused, and a target of one', async () => {
    const [service, older] = [await sourceService(), await target({ kind: 'sqlite', migrated: false })];
    await migrate(older.engine, { directory: firstMigrations(older.engine, 1) });
    await expect(copy(older, await target())).rejects.toThrow(
      /is of an older version: it lacks \d{14}_counters, .*Apply the migrations first, by "sallyport migrate apply"/,
    );
    await expect(copy(service, older)).rejects.toThrow(/is of another version: it lacks \d{14}_counters, /);
  });
});

// SQLite has no connections to lose.
describe.runIf(inject('engine') === 'postgresql')('a connection', () => {
  test.each(['source', 'target'])('to the %s that is lost leaves the target empty', async (lost) => {
    const [service, to] = [await sourceService(), await target()];
    await createWorld(service);
    const side = lost === 'source' ? service.database : to;
    const cut =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sallyport command' " +
      `AND datname = '${new URL(side.url).pathname.slice(1)}'`;
    let isCut = false;
    const copying = copy(service, to, {
      onProgress: () => {
        if (!isCut) executeNow(side, cut);
        isCut = true;
      },
    });
    await expect(copying).rejects.toThrow(/\. Nothing was copied: the database .* is empty\.$/);
    expect(rowsIn(await allRows(to.engine))).toBe(0);
  });

  test('that keeps servers off the target, when it is lost, ends the copy and leaves the target empty', async () => {
    const [service, to] = [await sourceService(), await target()];
    await createWorld(service);
    const copying = copy(service, to, { onProgress: () => executeNow(to, endHold) });
    await expect(copying).rejects.toThrow(
      `The connection that kept servers off the database ${to.engine.name} was lost before the work was committed. Stop all ` +
        `servers, and try again. Nothing was copied: the database ${to.engine.name} is empty.`,
    );
    expect(rowsIn(await allRows(to.engine))).toBe(0);
  });

  test('of a server that starts on the target meanwhile finds the copy, and adds nothing to it', async () => {
    const [service, to] = [await sourceService(), await target()];
    await createWorld(service);
    let starting: Promise<Storage> | undefined;
    const { tables } = await copy(service, to, {
      onProgress: ({ step }) => {
        if (step === 'copied') starting ??= opened(to.engine);
      },
    });
    const storage = await starting;
    expect((await storage?.accounts.list())?.map(({ name }) => name)).toEqual(['default']);
    expect(tables.ServerFact?.rows).toBe(1);
  });
});
