// Databases of releases, each with one object of every kind that it knew, and what it answered: this program must bring them up to
// date and answer the same. `npm run release:baseline` adds those of the version that is about to be released.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { migrate, pendingMigrations } from '../../src/storage/lifecycle/migrate.ts';
import { routes } from '../../src/surfaces/rest/routes.ts';
import { createWorld, fillPath } from '../http/world.ts';
import { byEngine, makeDatabase, type TestDatabase } from '../support/database.ts';
import { countsIn } from '../support/object-counts.ts';
import { send } from '../support/postgres.ts';
import { type Client, ownService, startBeside, type TestService } from '../support/service.ts';
import { read, root } from '../support/source-files.ts';

const releases = join(root, 'test/storage/fixtures/releases');

/** What a release said about its database. */
interface Recorded {
  /** The first key of the account. */
  readonly token: string;
  /** An authority whose key the database holds, and a public key that it certified. */
  readonly authority: string;
  readonly publicKey: string;
  /** The path, status and body of every GET. */
  readonly answers: readonly (readonly [string, number, unknown])[];
}

/** How a database becomes a file, and comes back. */
const own = byEngine({
  sqlite: {
    file: 'sqlite.db.gz',
    answers: 'sqlite.json.gz',
    dump({ engine }: TestDatabase) {
      const connection = new Sqlite(engine.name, { readonly: true });
      try {
        return connection.serialize();
      } finally {
        connection.close();
      }
    },
    async restore({ engine }: TestDatabase, dump: Buffer) {
      writeFileSync(engine.name, dump);
    },
  },
  postgresql: {
    file: 'postgresql.sql.gz',
    answers: 'postgresql.json.gz',
    dump: ({ url }: TestDatabase) =>
      execFileSync('pg_dump', ['--no-owner', '--no-privileges', '--rows-per-insert=100', url]),
    async restore({ url }: TestDatabase, dump: Buffer) {
      // Lines with a backslash are for psql.
      await send(url, `${dump}`.replace(/^\\.*$/gm, ''));
    },
  },
});

const answersOf = async (client: Client, paths: readonly string[]) => {
  const answers: [string, number, unknown][] = [];
  for (const path of paths) {
    const { status, body } = await client.rest('GET', path);
    answers.push([path, status, body]);
  }
  return answers;
};

test.runIf(process.env.BASELINE === 'write')('the database of this version is kept', async () => {
  const service = await ownService();
  const id = await createWorld(service);
  await service.storage.upkeep();
  const paths = routes.filter(({ method }) => method === 'GET').map(({ path }) => fillPath(path, id));
  const recorded: Recorded = {
    token: service.token,
    authority: id('/ssh_certificate_authorities'),
    publicKey: (await service.rest('GET', fillPath('/ssh_host_certificates/{id}', id))).body.public_key,
    answers: await answersOf(service, paths),
  };
  const { version }: { version: string } = JSON.parse(read('package.json'));
  const directory = join(releases, version);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, own.file), gzipSync(own.dump(service.database), { level: 9 }));
  writeFileSync(join(directory, own.answers), gzipSync(JSON.stringify(recorded), { level: 9 }));
});

test.for(readdirSync(releases))('the database of %s is brought up to date, and answers as it did', async (version) => {
  const directory = join(releases, version);
  const recorded: Recorded = JSON.parse(`${gunzipSync(readFileSync(join(directory, own.answers)))}`);
  const database = await makeDatabase({ migrated: false });
  onTestFinished(database.remove);
  await own.restore(database, gunzipSync(readFileSync(join(directory, own.file))));

  await migrate(database.engine);
  expect(await pendingMigrations(database.engine)).toEqual([]);
  expect(await database.engine.examineStructure()).toEqual({ faults: [], unread: [] });
  const { kept, rows } = await countsIn(database);
  expect(kept).toEqual(rows);

  // Only these are needed of the service that made it.
  const service = await startBeside({ database, token: recorded.token } as TestService);
  onTestFinished(() => service.close());
  const found = await answersOf(
    service,
    recorded.answers.map(([path]) => path),
  );
  // Fields may have been added.
  for (const [index, answer] of recorded.answers.entries()) expect(found[index]).toMatchObject(answer);

  // The keys that it sealed still sign, and its trail goes on.
  const { authority, publicKey } = recorded;
  const certificate = { ssh_certificate_authority_id: authority, public_key: publicKey, principals: ['a.example.com'] };
  const signed = await service.rest('POST', '/ssh_host_certificates', certificate);
  expect(signed.status).toBe(201);
  const trail = (await service.rest('GET', '/audit_events')).body.audit_events;
  expect(trail).toContainEqual(expect.objectContaining({ action: 'create', object_id: signed.body.id }));
  expect(service.failures).toEqual([]);
});
