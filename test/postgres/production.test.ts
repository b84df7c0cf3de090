// Runs docs/postgresql.md: its roles, its commands, TLS, and servers of two versions on one database.

import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readUrl } from '../../src/storage/postgres/url.ts';
import { type Environment, endOf, programFile, readyServer, rest, start, statusOf } from '../process/support.ts';
import { type Cluster, createCluster, findPrograms, send } from '../support/postgres.ts';
import { read, root } from '../support/source-files.ts';

/** The directory of the server's programs. The client programs are there too, unless only the npm package is installed. */
const found = findPrograms();
const programs = found === null ? '' : dirname(realpathSync(join(found, 'postgres')));
const hasClients = ['psql', 'pg_dump', 'pg_restore'].every((name) => existsSync(join(programs, name)));
const onLinux = process.platform === 'linux';

/** A loopback address that only this test uses: the port must be PostgreSQL's default, because the socket name contains it. */
const address = `127.${process.pid % 250}.${(process.pid >> 8) % 250}.7`;
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
const ipPolicies = '/ip_policies';

/** Returns the `sh` blocks of a section of the page. */
function commandsOf(heading: string): string {
  const [, after = ''] = read('docs/postgresql.md').split(`\n## ${heading}\n`);
  const [section = ''] = after.split('\n## ');
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
  if (blocks.length === 0) throw new Error(`There are no commands under "${heading}".`);
  return blocks.join('');
}

/** Issues a certificate for the server from our own authority, valid for one name. */
function certify(cluster: Cluster, name: string): void {
  const { uid, gid } = statSync(cluster.directory);
  const at = (file: string) => join(cluster.directory, file);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: cluster.directory, stdio: 'pipe' });
  const newKey = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  if (!existsSync(at('ca.pem'))) {
    openssl('req', '-x509', ...newKey, '-subj', '/CN=test authority', '-keyout', 'ca.key', '-out', 'ca.pem');
  }
  openssl(
    'req',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=database',
    '-keyout',
    'server.key',
    '-out',
    'request.pem',
  );
  writeFileSync(at('names'), `subjectAltName=${name}\n`);
  const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
  openssl('x509', '-req', '-in', 'request.pem', ...authority, '-days', '2', '-extfile', 'names', '-out', 'server.pem');
  chmodSync(at('server.key'), 0o600);
  for (const file of ['server.key', 'server.pem']) chownSync(at(file), uid, gid);
}

describe.runIf(hasClients && onLinux)('the page on PostgreSQL in production', () => {
  let cluster: Cluster;
  /** The directory of `sallyport` and of dumps. */
  let directory: string;
  const tls = () => `sslmode=verify-full&sslrootcert=${cluster.directory}/ca.pem`;
  const urlOf = (role: string, database = 'sallyport', parameters = tls()) =>
    `postgresql://${role}:secret@${address}/${database}?${parameters}`;
  const server = (): Environment => ({ DATABASE_URL: urlOf('sallyport_server'), SECRET_KEY });

  /** Runs commands in a shell, in the directory of the project. */
  const paste = (commands: string) =>
    new Promise<string>((resolve, reject) => {
      const env = {
        PATH: `${directory}:${programs}:${process.env.PATH}`,
        OWNER_PASSWORD: 'secret',
        SERVER_PASSWORD: 'secret',
        ADMIN_URL: cluster.url,
        OWNER_URL: urlOf('sallyport_owner'),
        DRILL_OWNER_URL: urlOf('sallyport_owner', 'sallyport_drill'),
        DRILL_URL: urlOf('sallyport_server', 'sallyport_drill'),
        DUMP: join(directory, 'sallyport.dump'),
        SECRET_KEY,
      };
      execFile('bash', ['-euo', 'pipefail', '-c', commands], { cwd: root, env }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}${stderr}`)),
      );
    });

  /** Sends a statement as a role, and returns its rows, or the SQLSTATE if it is refused. */
  const query = async (url: string, sql: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } catch (error) {
      return error instanceof pg.DatabaseError ? error.code : error;
    } finally {
      await client.end();
    }
  };

  beforeAll(async () => {
    const settings = [
      `listen_addresses=${address}`,
      'ssl=on',
      'ssl_cert_file=../server.pem',
      'ssl_key_file=../server.key',
    ];
    cluster = createCluster(settings);
    certify(cluster, `IP:${address}`);
    await cluster.start();
    directory = mkdtempSync(join(tmpdir(), 'sallyport-production-'));
    const command = `#!/bin/sh\nexec "${process.execPath}" "${programFile('dist/cli.js')}" "$@"\n`;
    writeFileSync(join(directory, 'sallyport'), command, { mode: 0o755 });
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  test('a server whose role may not create tables says who must migrate, and starts when that is done', async () => {
    const [rolesAndDatabase = '', migration = ''] = commandsOf('Roles').split(/^(?=DATABASE_URL=)/m);
    await paste(rolesAndDatabase);
    const refused = await endOf(start('main', [], { ...server(), PORT: '0' }));
    expect([refused.code, refused.errors.split('\n').filter((line) => !line.startsWith('{'))]).toEqual([
      1,
      [
        `Sallyport cannot run. Cannot migrate the database postgresql://${address}/sallyport; it has been left as it was. ` +
          'The role sallyport_server may not change its tables. Run "sallyport migrate apply" with a DATABASE_URL of the ' +
          'role that owns them, then start the server again.',
        '',
      ],
    ]);
    await paste(migration);
    const { url, child } = await readyServer({ environment: server() });
    expect((await rest(url, 'POST', ipPolicies, { description: 'office' })).status).toBe(201);
    child.kill();
  });

  test('the role of servers changes rows, and neither tables nor the record of migrations', async () => {
    const asServer = (sql: string) => query(urlOf('sallyport_server'), sql);
    expect(await asServer('SELECT count(*)::int FROM "IpPolicy"')).toEqual([{ count: 1 }]);
    const denied = '42501';
    expect(await asServer('CREATE TABLE mine (n int)')).toBe(denied);
    expect(await asServer('ALTER TABLE "IpPolicy" ADD COLUMN mine int')).toBe(denied);
    expect(await asServer('TRUNCATE "IpPolicy" CASCADE')).toBe(denied);
    expect(await asServer('DELETE FROM _prisma_migrations')).toBe(denied);
    expect(await asServer('SHOW statement_timeout')).toEqual([{ statement_timeout: '10s' }]);
  });

  test('no server starts without SECRET_KEY', async () => {
    const { code, errors } = await endOf(start('main', [], { ...server(), SECRET_KEY: undefined, PORT: '0' }));
    expect([code, errors]).toEqual([
      1,
      `Sallyport cannot run. The database postgresql://${address}/sallyport has no key file: set SECRET_KEY to 32 random ` +
        'bytes, from "openssl rand -base64 32".\n',
    ]);
  });

  test('what is dumped and restored serves the same objects, and its private keys sign', async () => {
    const first = await readyServer({ environment: server() });
    const made = await rest(first.url, 'POST', '/ssh_certificate_authorities', { private_key_type: 'ed25519' });
    const authority: { id: string } = JSON.parse(await made.text());
    const before = await (await rest(first.url, 'GET', ipPolicies)).json();
    const report = await paste(commandsOf('Backups of PostgreSQL'));
    expect(report).toMatch(/^ok {4}secret key: It opens the sealed keys in the database\. It is from SECRET_KEY\.$/m);
    expect(report).not.toMatch(/^(warn|fail)/m);
    first.child.kill();
    const second = await readyServer({
      environment: { ...server(), DATABASE_URL: urlOf('sallyport_server', 'sallyport_drill') },
    });
    const after = await (await rest(second.url, 'GET', ipPolicies)).json();
    expect(after.ip_policies.map(({ id }: { id: string }) => id)).toEqual(
      before.ip_policies.map(({ id }: { id: string }) => id),
    );
    const public_key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';
    const signed = await rest(second.url, 'POST', '/ssh_host_certificates', {
      ssh_certificate_authority_id: authority.id,
      public_key,
      principals: ['host.example'],
    });
    expect(signed.status).toBe(201);
  });

  test('backup and restore of SQLite files are refused with the place where it says what to do', async () => {
    const { code, errors } = await endOf(start('cli', ['backup', join(directory, 'copy')], server()));
    expect([code, errors]).toEqual([
      1,
      'PostgreSQL has its own tools for that: see "Backups of PostgreSQL" in docs/postgresql.md.\n',
    ]);
  });

  test('the secret key is changed only when no server has the database', async () => {
    const running = await readyServer({ environment: server() });
    const rotation = { ...server(), NEW_SECRET_KEY: Buffer.alloc(32, 8).toString('base64') };
    const refused = await endOf(start('cli', ['secret', 'rotate'], rotation));
    expect([refused.code, refused.errors]).toEqual([
      1,
      `Servers use the database postgresql://${address}/sallyport: stop them first.\n`,
    ]);
    running.child.kill();
    await running.ended;
    const done = await endOf(start('cli', ['secret', 'rotate'], rotation));
    expect([done.code, done.out]).toEqual([
      0,
      // Of an authority and, once the first events are in it, of the trail's hash chain.
      expect.stringMatching(
        /^Sealed [12] private keys? with the new key\. Set SECRET_KEY to the value of NEW_SECRET_KEY\.\n$/,
      ),
    ]);
    const back = { ...rotation, SECRET_KEY: rotation.NEW_SECRET_KEY, NEW_SECRET_KEY: SECRET_KEY };
    expect((await endOf(start('cli', ['secret', 'rotate'], back))).code).toBe(0);
  });

  test('connections are encrypted and checked; while the certificate is wrong requests are 503, and then they are served', async () => {
    const running = await readyServer({ environment: server() });
    const sql =
      'SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = $$sallyport$$';
    expect(await query(cluster.url, sql)).toEqual([{ ssl: true }]);
    const cut = () =>
      send(cluster.url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'sallyport_server'");
    const statuses = async () => [
      (await rest(running.url, 'GET', ipPolicies)).status,
      (await rest(running.url, 'POST', ipPolicies, {})).status,
      await statusOf(running.url, '/readyz'),
    ];
    certify(cluster, 'DNS:another.example');
    await send(cluster.url, 'SELECT pg_reload_conf()');
    const afterCut = async () => {
      await cut();
      return statuses();
    };
    await expect.poll(afterCut, { timeout: 20_000 }).toEqual([503, 503, 503]);
    const wrong = await endOf(start('main', [], { ...server(), PORT: '0' }));
    expect([wrong.code, wrong.errors]).toEqual([
      1,
      `Sallyport cannot run. No connection to the database postgresql://${address}/sallyport: ` +
        `Hostname/IP does not match certificate's altnames: IP: ${address} is not in the cert's list. ` +
        'This happened while it was asked whether it takes writes. See whether DATABASE_URL is right, PostgreSQL runs there, ' +
        'and what its sessions wait for (pg_stat_activity); then try again.\n',
    ]);
    certify(cluster, `IP:${address}`);
    await send(cluster.url, 'SELECT pg_reload_conf()');
    await expect.poll(statuses, { timeout: 20_000 }).toEqual([200, 201, 200]);
  });

  test('doctor says what keeps it from the database', async () => {
    const url = `postgresql://sallyport_server@${address}:1/sallyport`;
    const { code, out } = await endOf(start('cli', ['doctor'], { ...server(), DATABASE_URL: url }));
    expect([code, out.split('\n').filter((line) => line.startsWith('fail'))]).toEqual([
      1,
      [
        `fail  database: No connection to the database postgresql://${address}:1/sallyport: connect ECONNREFUSED ${address}:1. ` +
          'Check DATABASE_URL, and that the database server runs and accepts this role from this machine.',
      ],
    ]);
  });

  test('doctor warns of a network without TLS only where there is one, and of a locale that may change', async () => {
    await send(cluster.url, `CREATE DATABASE icu TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'`);
    const environment = { DATABASE_URL: urlOf('postgres', 'icu'), SECRET_KEY };
    const { out } = await endOf(start('cli', ['doctor'], environment));
    expect(out.split('\n').filter((line) => line.startsWith('warn') && !line.includes('migrations'))).toEqual([
      "warn  collation: The database sorts text by ICU: its indexes break when the system's locale data changes. Create the " +
        "database with LOCALE 'C' or 'C.UTF-8', or reindex after each upgrade of the system.",
    ]);
  });

  test('a server goes on when a newer version has added to the tables; one that starts then refuses', async () => {
    const running = await readyServer({ environment: server() });
    await send(
      urlOf('sallyport_owner'),
      `ALTER TABLE "IpPolicy" ADD COLUMN later TEXT NOT NULL DEFAULT ''`,
      'CREATE TABLE "Later" (id TEXT PRIMARY KEY)',
      `INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
         VALUES ('later', '', now(), '29990101000000_later', now(), 1)`,
    );
    const made = await rest(running.url, 'POST', ipPolicies, { description: 'branch' });
    expect(made.status).toBe(201);
    const { id } = JSON.parse(await made.text());
    expect((await rest(running.url, 'PATCH', `${ipPolicies}/${id}`, { description: 'changed' })).status).toBe(200);
    expect((await rest(running.url, 'GET', ipPolicies)).status).toBe(200);
    const { code, errors } = await endOf(start('main', [], { ...server(), PORT: '0' }));
    const known =
      /^Sallyport cannot run\. The database (\S+) is newer than this program: its newest migration is (\S+),/;
    expect([code, known.exec(errors)?.slice(1)]).toEqual([
      1,
      [`postgresql://${address}/sallyport`, '29990101000000_later'],
    ]);
  });

  test('the statement for monitoring lists what servers do', async () => {
    const running = await readyServer({
      environment: { ...server(), DATABASE_URL: urlOf('sallyport_server', 'sallyport_drill') },
    });
    await rest(running.url, 'GET', ipPolicies);
    const [, sql = ''] =
      /^```sql\n(.*?)^```/ms.exec(read('docs/postgresql.md').split('\n## Monitoring\n')[1] ?? '') ?? [];
    const rows = await query(urlOf('sallyport_server', 'sallyport_drill'), sql);
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ application_name: 'sallyport' }),
        expect.objectContaining({ application_name: 'sallyport hold', connections: '1' }),
      ]),
    );
  });
});

test('sslmode never checks less than its name says, and an unknown one is refused', () => {
  const tlsOf = (parameters: string) => readUrl(`postgresql://host/db?${parameters}`).hosts[0]?.config.ssl;
  // Node's default: the certificate must be valid and name the host.
  const strict = ['prefer', 'require', 'verify-ca', 'verify-full'].map((mode) => tlsOf(`sslmode=${mode}`));
  expect(strict).toEqual([{}, {}, {}, {}]);
  expect(['disable', 'no-verify'].map((mode) => tlsOf(`sslmode=${mode}`))).toEqual([
    false,
    { rejectUnauthorized: false },
  ]);
  expect(tlsOf('uselibpqcompat=true&sslmode=require')).toEqual({ rejectUnauthorized: false });
  expect(() => readUrl('postgresql://host/db?sslmode=verify_full')).toThrow(
    'sslmode must be one of disable, prefer, require, verify-ca, verify-full, no-verify',
  );
});

test('the containers mount files that exist, and no password has a default', () => {
  const compose = readFileSync(join(root, 'deploy/compose.yaml'), 'utf8');
  const mounted = [...compose.matchAll(/- \.\/([\w./-]+):/g)].map(([, file = '']) => file);
  expect(mounted).toEqual(['haproxy.cfg', 'postgresql/roles.sql', 'postgresql/database.sql']);
  expect(mounted.filter((file) => !existsSync(join(root, 'deploy', file)))).toEqual([]);
  const example = read('deploy/.env.example');
  const names = [...example.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  expect(names).toEqual(
    ['BASE_URL', 'SECRET_KEY', 'METRICS_TOKEN', 'POSTGRES_PASSWORD', 'OWNER_PASSWORD', 'SERVER_PASSWORD'].map(
      (name) => [name, ''],
    ),
  );
  expect(names.filter(([name]) => !compose.includes(`\${${name}:?`))).toEqual([]);
  expect(() => readUrl('postgresql://host/db?schema=other')).toThrow('schema must be public');
  expect(() => readUrl('postgresql://host/db?sslrootcert=/nowhere.pem')).toThrow(
    'names a certificate that cannot be read (ENOENT): /nowhere.pem',
  );
});
