// The command line as an operator and a script use it: copies, their return, the examination, and stable JSON.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { leafCommands } from '../../docs/cli-page.ts';
import { documentationOf } from '../../src/cli/command.ts';
import {
  apiKey,
  cli,
  cliJson,
  emptyDatabase,
  newPath,
  readyServer,
  rest,
  temporaryDirectory,
  until,
  withMigration,
} from './support.ts';

/** Makes an enforced IP restriction, as the API would. */
function enforceRestriction(path: string, accountId: string): void {
  const database = new Database(path);
  const columns = 'id, accountId, type, enforced, createdAt';
  const values = `'ipx_1', '${accountId}', 'api', true, '${new Date().toISOString()}'`;
  database.exec(`INSERT INTO IpRestriction (${columns}) VALUES (${values})`);
  database.close();
}

/** Makes a database that a server has used, with an authority, and stops the server. */
async function usedDatabase(policies = 3): Promise<string> {
  const path = emptyDatabase();
  const server = await readyServer(path);
  for (let count = 0; count < policies; count++) {
    expect((await rest(server.url, 'POST', '/ip_policies', { description: `policy ${count}` })).status).toBe(201);
  }
  expect((await rest(server.url, 'POST', '/ssh_certificate_authorities', {})).status).toBe(201);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  return path;
}

const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

describe('every command', () => {
  test('has a help with an example that it would take', async () => {
    for (const [path, command] of leafCommands()) {
      const example = documentationOf(command)?.example ?? '';
      expect(`sallyport ${example} `, path).toContain(`${path} `);
      const flags = [...example.matchAll(/--[\w-]+/g)].map(([flag]) => flag);
      expect(flags.filter((flag) => !command.options.some(({ long }) => long === flag))).toEqual([]);
      expect(command.description()).toMatch(/\.$/);
    }
    const { out } = await cli(newPath('data/test.db'), ['key', 'create', '--help']);
    expect(out).toContain('$ sallyport key create --account branch-office --description "dashboard"');
    expect(out).toContain('--json');
  });

  test('prints with --json what the page about the command line shows', async () => {
    const path = newPath('data/test.db');
    const directory = dirname(dirname(path));
    const made = await cliJson(path, ['key', 'create', '--account', await defaultAccount(path)]);
    const calls: Record<string, string[]> = {
      'sallyport account create': ['account', 'create', 'branch-office'],
      'sallyport account list': ['account', 'list'],
      'sallyport key create': ['key', 'create'],
      'sallyport key list': ['key', 'list'],
      'sallyport key revoke': ['key', 'revoke', made.key.id],
      'sallyport ssh-authority create': ['ssh-authority', 'create', '--type', 'ecdsa', '--curve', 'p384'],
      'sallyport ssh-authority list': ['ssh-authority', 'list'],
      'sallyport restrictions suspend': ['restrictions', 'suspend'],
      'sallyport migrate status': ['migrate', 'status'],
      'sallyport migrate apply': ['migrate', 'apply'],
      'sallyport backup': ['backup', join(directory, 'copy.db')],
      'sallyport restore': ['restore', join(directory, 'copy.db')],
      'sallyport copy': ['copy', '--from', `file:${path}`, '--to', `file:${join(directory, 'moved.db')}`],
      'sallyport secret rotate': ['secret', 'rotate'],
      'sallyport doctor': ['doctor'],
    };
    expect(Object.keys(calls)).toEqual(leafCommands().map(([name]) => name));
    for (const [name, command] of leafCommands()) {
      if (name === 'sallyport restrictions suspend') enforceRestriction(path, made.key.accountId);
      if (name === 'sallyport migrate apply') withMigration('29990101000000_note', 'CREATE TABLE note (a);');
      if (name === 'sallyport copy') copyFileSync(`${path}.key`, join(directory, 'moved.db.key'));
      const printed = await cliJson(path, calls[name] ?? []);
      expect(shapeOf(printed), name).toEqual(shapeOf(documentationOf(command)?.json));
    }
  });

  test('fails with one line, as JSON where JSON was asked for', async () => {
    const path = newPath('data/test.db');
    const plain = await cli(path, ['key', 'create', '--account', 'nobody']);
    expect(plain).toEqual({ code: 1, out: '', errors: expect.stringMatching(/^There is no account "nobody"\..*\n$/) });
    const json = await cli(path, ['key', 'create', '--account', 'nobody', '--json']);
    expect([json.code, json.out]).toEqual([1, '']);
    expect(JSON.parse(json.errors)).toEqual({ error: plain.errors.trim() });
    const wrong = await cli(path, ['ssh-authority', 'create', '--type', 'dsa']);
    expect(wrong.code).toBe(1);
    expect(wrong.errors).toContain("argument 'dsa' is invalid. Allowed choices are ed25519, ecdsa, rsa.");
  });
});

/** Makes the account that commands take when they are not told another. */
async function defaultAccount(path: string): Promise<string> {
  return (await cliJson(path, ['account', 'create', 'default'])).account.id;
}

/** The names and types in a document. Lists have the shape of their first item; what counts by table is a number. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null || typeof value !== 'object') return value === null ? 'string' : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]) => [name, name === 'tables' ? 'by table' : name === 'pending' ? 'names' : shapeOf(inner)])
      .sort(([a = ''], [b = '']) => (String(a) < String(b) ? -1 : 1)),
  );
}

describe('backup', () => {
  test('copies what was acknowledged before it began, beside a server that goes on writing', async () => {
    const path = newPath('data/test.db');
    const server = await readyServer(path);
    const acknowledged: string[] = [];
    let stop = false;
    const writer = async (number: number) => {
      for (let count = 0; !stop; count++) {
        const description = `${number} ${count}`;
        expect((await rest(server.url, 'POST', '/ip_policies', { description })).status).toBe(201);
        acknowledged.push(description);
      }
    };
    const writers = Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)));
    await until(() => acknowledged.length > 100);
    const before = [...acknowledged];
    const file = join(temporaryDirectory(), 'copy.db');
    const { backup } = await cliJson(path, ['backup', file]);
    stop = true;
    await writers;
    expect(backup).toMatchObject({ file, integrity: 'ok', secretCheck: true, bytes: statSync(file).size });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
    const copy = new Database(file, { readonly: true });
    const stored = new Set(copy.prepare('SELECT description FROM IpPolicy').pluck().all());
    copy.close();
    expect(before.filter((description) => !stored.has(description))).toEqual([]);
    expect(backup.tables.IpPolicy).toBe(stored.size);
    expect(acknowledged.length).toBeGreaterThan(stored.size);
  });

  test('never overwrites, leaves nothing behind when it fails, and says what is not in the copy', async () => {
    const path = await usedDatabase();
    const file = join(temporaryDirectory(), 'copy.db');
    const first = await cli(path, ['backup', file]);
    expect([first.code, first.errors]).toEqual([0, '']);
    expect(first.out).toContain('\n  IpPolicy  3\n');
    expect(first.out).toContain(`The copy does not contain the secret key. Back up its file ${path}.key too`);
    const before = sha256(file);
    const second = await cli(path, ['backup', file]);
    expect(second).toEqual({
      code: 1,
      out: '',
      errors: `${file} exists. A backup never overwrites a file: choose another name.\n`,
    });
    expect(sha256(file)).toBe(before);
    expect((await cli(path, ['backup', join(dirname(file), 'missing/copy.db')])).code).toBe(1);
    expect((await cli(join(dirname(file), 'none.db'), ['backup', join(dirname(file), 'x.db')])).errors).toContain(
      'There is no database',
    );
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
  });
});

describe('restore', () => {
  test('brings everything back, and keeps aside what was there, with its last changes', async () => {
    const path = await usedDatabase(3);
    const file = join(temporaryDirectory(), 'copy.db');
    const { backup } = await cliJson(path, ['backup', file]);
    const busy = await readyServer(path);
    expect((await rest(busy.url, 'POST', '/ip_policies', { description: 'later' })).status).toBe(201);
    const refused = await cli(path, ['restore', file]);
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.errors).toContain('is in use by another process');
    // Killed: its last change is in the write-ahead log only.
    busy.child.kill('SIGKILL');
    await busy.ended;
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);

    const { restore } = await cliJson(path, ['restore', file]);
    expect(restore).toMatchObject({ database: path, pending: [], integrity: 'ok', tables: backup.tables });
    expect(restore.replaced).toMatch(/\.replaced-\d{8}T\d{6}Z$/);
    const replaced = new Database(restore.replaced, { readonly: true });
    expect(replaced.prepare('SELECT count(*) FROM IpPolicy').pluck().get()).toBe(4);
    replaced.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const server = await readyServer(path);
    const answer = await (await rest(server.url, 'GET', '/ip_policies')).json();
    expect(answer).toMatchObject({ ip_policies: [2, 1, 0].map((count) => ({ description: `policy ${count}` })) });
    // The private key of the authority opens: it signs.
    const authorities = await cliJson(path, ['ssh-authority', 'list']);
    const signed = await rest(server.url, 'POST', '/ssh_host_certificates', {
      ssh_certificate_authority_id: authorities.sshAuthorities[0].id,
      public_key: authorities.sshAuthorities[0].publicKey,
      principals: ['a.example.com'],
    });
    expect(signed.status).toBe(201);
  });

  test('works on another machine, with the copy and the key', async () => {
    const path = await usedDatabase();
    const file = join(temporaryDirectory(), 'copy.db');
    await cliJson(path, ['backup', file]);
    const elsewhere = newPath('data/test.db');
    const without = await cli(elsewhere, ['restore', file]);
    expect([without.code, existsSync(elsewhere)]).toEqual([1, false]);
    expect(without.errors).toContain(`${file} was sealed with a secret key that is not here. Put its key file back to`);
    const key = readFileSync(`${path}.key`, 'utf8').trim();
    const wrong = await cli(elsewhere, ['restore', file], { SECRET_KEY: 'A'.repeat(43) });
    expect(wrong.errors).toContain(`SECRET_KEY is not the key that ${file} was sealed with.`);
    expect((await cliJson(elsewhere, ['restore', file], { SECRET_KEY: key })).restore.replaced).toBe(null);
    const server = await readyServer(elsewhere, { SECRET_KEY: key });
    expect((await rest(server.url, 'GET', '/ip_policies', undefined, apiKey)).status).toBe(200);
  });

  test('refuses what is damaged, newer, or of another program, and leaves everything as it was', async () => {
    const path = await usedDatabase(200);
    const directory = temporaryDirectory();
    const good = join(directory, 'good.db');
    await cliJson(path, ['backup', good]);
    const variant = (name: string, change: (file: string) => void) => {
      const file = join(directory, name);
      copyFileSync(good, file);
      change(file);
      return file;
    };
    const sql = (script: string) => (file: string) => {
      const database = new Database(file);
      database.exec(script);
      database.close();
    };
    const cases: [string, string | RegExp][] = [
      [
        variant('damaged.db', (file) => {
          const bytes = readFileSync(file);
          bytes.fill(0xa5, bytes.length / 2, bytes.length / 2 + 20_000);
          writeFileSync(file, bytes);
        }),
        /is damaged: |malformed/,
      ],
      [variant('cut.db', (file) => writeFileSync(file, readFileSync(file).subarray(0, 50_000))), /damaged|malformed/],
      [variant('text.db', (file) => writeFileSync(file, 'Dear diary, '.repeat(1000))), 'file is not a database'],
      [variant('empty.db', (file) => writeFileSync(file, '')), 'empty.db is not a database of this program.'],
      [
        variant(
          'newer.db',
          sql(`INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at)
            VALUES ('x', 'c', '29990101000000_future', '2999', '2999')`),
        ),
        'newer.db is newer than this program',
      ],
      [variant('other.db', sql('DROP TABLE _prisma_migrations')), 'other.db is not a database of this program.'],
      [path, `${path} is the database itself.`],
      [join(directory, 'missing.db'), 'There is no file'],
    ];
    const before = sha256(path);
    const files = readdirSync(dirname(path)).sort();
    for (const [file, message] of cases) {
      const { code, out, errors } = await cli(path, ['restore', file]);
      expect([file, code, out]).toEqual([file, 1, '']);
      expect(errors).toMatch(message);
      expect(errors).not.toContain('.part');
    }
    expect(sha256(path)).toBe(before);
    expect(readdirSync(dirname(path)).sort()).toEqual(files);
  });

  test('takes the place of a damaged database, says that it was damaged, and keeps it as it was', async () => {
    const path = await usedDatabase();
    const file = join(temporaryDirectory(), 'copy.db');
    await cliJson(path, ['backup', file]);
    writeFileSync(path, 'Dear diary, '.repeat(1000));
    const { code, out, errors } = await cli(path, ['restore', file, '--json']);
    expect(code).toBe(0);
    const { replaced } = JSON.parse(out).restore;
    expect(errors).toBe(
      `The replaced database is damaged (file is not a database). It is kept as it is: ${replaced}\n`,
    );
    expect(readFileSync(replaced, 'utf8')).toBe('Dear diary, '.repeat(1000));
    expect((await cliJson(path, ['account', 'list'])).accounts.length).toBe(1);
  });

  test('leaves everything as it was when the database cannot be set aside', async () => {
    const path = await usedDatabase();
    const file = join(temporaryDirectory(), 'copy.db');
    await cliJson(path, ['backup', file]);
    rmSync(`${path}-wal`, { force: true });
    mkdirSync(`${path}-wal`);
    const before = sha256(path);
    const files = readdirSync(dirname(path)).sort();
    const { code, out, errors } = await cli(path, ['restore', file]);
    expect({ code, out, errors }).toEqual({
      code: 1,
      out: '',
      errors: `Cannot set ${path} aside: unable to open database file.\n`,
    });
    expect(sha256(path)).toBe(before);
    expect(readdirSync(dirname(path)).sort()).toEqual(files);
  });

  test('takes an older copy, and says what the next start will do', async () => {
    const path = await usedDatabase();
    const file = join(temporaryDirectory(), 'copy.db');
    await cliJson(path, ['backup', file]);
    withMigration('29990101000000_note', 'ALTER TABLE "Account" ADD COLUMN "note" TEXT;');
    expect(await cliJson(path, ['migrate', 'status'])).toMatchObject({ pending: ['29990101000000_note'] });
    expect(await cliJson(path, ['doctor'])).toMatchObject({
      ok: true,
      checks: expect.arrayContaining([expect.objectContaining({ name: 'migrations', level: 'warn' })]),
    });
    expect(await cliJson(path, ['migrate', 'apply'])).toEqual({ applied: ['29990101000000_note'] });
    expect((await cliJson(path, ['restore', file])).restore.pending).toEqual(['29990101000000_note']);
    expect((await cliJson(path, ['migrate', 'status'])).pending).toEqual(['29990101000000_note']);
  });
});

describe('doctor', () => {
  const levels = async (path: string, environment: Record<string, string> = {}) => {
    const { checks } = await cliJson(path, ['doctor'], environment);
    return Object.fromEntries(checks.map(({ name, level }: { name: string; level: string }) => [name, level]));
  };

  test('finds nothing on a good database, beside its server, and changes nothing', async () => {
    const path = newPath('data/test.db');
    const server = await readyServer(path);
    const { code, out, errors } = await cli(path, ['doctor']);
    expect([code, errors]).toEqual([0, '']);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => line.slice(0, 4)),
    ).toEqual(Array.from({ length: 11 }, () => 'ok  '));
    expect((await rest(server.url, 'GET', '/ip_policies')).status).toBe(200);
    const fresh = newPath('data/test.db');
    expect(await levels(fresh)).toMatchObject({ database: 'fail' });
    expect((await cli(fresh, ['doctor'])).code).toBe(1);
    expect(existsSync(dirname(fresh))).toBe(false);
  });

  test('names each fault, and exits with 1 when something fails', async () => {
    const path = await usedDatabase();
    const change = (script: string) => {
      const database = new Database(path);
      database.exec(script);
      database.close();
    };
    const [authority] = (await cliJson(path, ['ssh-authority', 'list'])).sshAuthorities;
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().replace('Z', '+00:00');
    const certificate = (id: string, principals: string, validUntil: string) =>
      change(`INSERT INTO SshHostCertificate (id, accountId, createdAt, sshCertificateAuthorityId, publicKey, keyType,
          principals, validAfter, validUntil, serial, certificate)
        VALUES ('${id}', '${authority.accountId}', '${day(-400)}', '${authority.id}', 'k', 'ed25519',
          '${principals}', '${day(-400)}', '${validUntil}', ${id.length}, 'c')`);
    certificate('shcrt_a', '["a.example.com"]', day(3.5));
    certificate('shcrt_bb', '["b.example.com"]', day(-1));
    certificate('shcrt_ccc', '["c.example.com"]', day(90));
    expect(await levels(path)).toMatchObject({ certificates: 'warn', openssh: 'ok' });
    certificate('shcrt_dddd', '[]', day(90));
    certificate('shcrt_eeeee', '["*.example.com"]', day(90));
    change(`INSERT INTO IpRestriction (id, accountId, type, createdAt) VALUES ('ipx_1', 'a', 'api', '${day(-1)}');
      INSERT INTO IpRestrictionPolicy VALUES ('a', 'ipx_1', 0, 'ipp_gone');
      INSERT INTO IpPolicy (id, accountId, createdAt) VALUES ('ipp_future', 'a', '${day(2)}');
      DELETE FROM ApiKey`);
    chmodSync(dirname(path), 0o755);
    chmodSync(path, 0o644);
    chmodSync(`${path}.key`, 0o644);
    const { code, out } = await cli(path, ['doctor'], { HOST: '0.0.0.0' });
    expect(code).toBe(1);
    const line = (name: string) => out.split('\n').find((found) => found.slice(6).startsWith(`${name}: `)) ?? '';
    expect(line('configuration')).toMatch(/^warn .*Set BASE_URL/);
    expect(line('file')).toMatch(/^warn .*Run: chmod 600/);
    expect(line('secret key')).toMatch(/^warn .*Other users can read/);
    expect(line('clock')).toMatch(/^fail .*the newest object is from/);
    expect(line('access')).toMatch(/^warn .*nobody can make requests/);
    expect(line('openssh')).toContain('1 host certificate without principals, which 10.3 and later refuse');
    expect(line('openssh')).toContain(
      '1 host certificate with a wildcard principal, which versions before 10.3 refuse',
    );
    expect(line('certificates')).toContain('1 host certificate expiring within 30 days: shcrt_a in 3 days.');
    expect(line('restrictions')).toContain('ipx_1 to ipp_gone');
    expect(await levels(path, { HOST: '0.0.0.0', BASE_URL: 'https://a.test' })).toMatchObject({
      configuration: 'warn',
    });

    copyFileSync(`${path}.key`, `${path}.key.kept`);
    rmSync(`${path}.key`);
    expect(await levels(path)).toMatchObject({ 'secret key': 'fail' });
    expect(existsSync(`${path}.key`)).toBe(false);
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 8192, bytes.length - 8192);
    writeFileSync(path, bytes);
    const damaged = await cli(path, ['doctor']);
    expect(damaged.code).toBe(1);
    expect(damaged.out).toMatch(/^fail {2}(integrity|migrations): /m);
    const misconfigured = await cli(path, ['doctor'], { PORT: 'many' });
    expect(misconfigured).toMatchObject({ code: 1, out: expect.stringMatching(/^fail {2}configuration: .*PORT/) });
  });

  test('sees a disk that is nearly full', async (context) => {
    const mount = temporaryDirectory();
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', mount]);
    // Only root can mount. Everywhere else this test tells nothing.
    context.skip(mounted.status !== 0, 'a small tmpfs cannot be mounted here');
    mkdirSync(join(mount, 'data'));
    try {
      expect(await levels(join(mount, 'data/test.db'))).toMatchObject({ disk: 'fail' });
    } finally {
      spawnSync('umount', ['-l', mount]);
    }
  });
});
