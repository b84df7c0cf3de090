// The command line as operators and scripts use it: help, stable JSON, and `doctor`.

import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { leafCommands } from '../../docs/cli-page.ts';
import { documentationOf } from '../../src/cli/command.ts';
import { byEngine, execute, type TestDatabase, testDatabase } from '../support/database.ts';
import { keyDirectory } from '../support/openssh.ts';
import { startAgent } from '../support/ssh-agent.ts';
import { command, commandJson } from './one-process.ts';
import { cli, cliJson, readyServer, rest, temporaryDirectory, usedDatabase, withMigration } from './support.ts';

/** Returns the time some days from now, as a column for times stores it. */
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().replace('Z', '+00:00');

/** Creates an enforced IP restriction, as the API would. */
async function enforceRestriction(database: TestDatabase, accountId: string): Promise<void> {
  const columns = '"id", "accountId", "type", "enforced", "createdAt"';
  const values = `'ipx_1', '${accountId}', 'api', true, '${day(0)}'`;
  await execute(database, `INSERT INTO "IpRestriction" (${columns}) VALUES (${values})`);
}

/** Inserts a TLS edge, which no command creates, into a database; returns its id. */
async function withEdge(database: TestDatabase): Promise<string> {
  const id = `edgtls_${'0'.repeat(26)}`;
  await execute(
    database,
    `INSERT INTO "TlsEdge" ("id", "accountId", "createdAt", "hostports")
       SELECT '${id}', "id", '${day(0)}', '["www.example.com:443"]' FROM "Account"`,
  );
  return id;
}

/** Has changes of an account wait for a second person. */
async function requireSecondPerson(database: TestDatabase, accountId: string): Promise<void> {
  await execute(
    database,
    `INSERT INTO "ApprovalSettings" ("id", "accountId", "createdAt", "updatedAt", "required")
       VALUES ('aset_${'0'.repeat(26)}', '${accountId}', '${day(0)}', '${day(0)}', true)`,
  );
}

/** Environment variables that give the new secret key if there is no file for it. */
const nextKey = () => byEngine({ sqlite: {}, postgresql: { NEW_SECRET_KEY: Buffer.alloc(32, 8).toString('base64') } });

/** Copies the key file of a database to another one, if it has such a file. */
function copyKey({ engine: { keyFile: from } }: TestDatabase, { engine: { keyFile: to } }: TestDatabase): void {
  if (from !== null && to !== null) copyFileSync(from, to);
}

/** Commands that work only on SQLite files. */
const ofFiles = ['sallyport backup', 'sallyport restore'];

describe('every command', () => {
  test('has a help with an example that it would take', async () => {
    for (const [path, command] of leafCommands()) {
      const example = documentationOf(command)?.example ?? '';
      expect(`sallyport ${example} `, path).toContain(`${path} `);
      const flags = [...example.matchAll(/--[\w-]+/g)].map(([flag]) => flag);
      expect(flags.filter((flag) => !command.options.some(({ long }) => long === flag))).toEqual([]);
      expect(command.description()).toMatch(/\.$/);
    }
    const { out } = await cli(await testDatabase(), ['key', 'create', '--help']);
    expect(out).toContain('$ sallyport key create --account branch-office --description "dashboard"');
    expect(out).toContain('--json');
  });

  test('is of the version that the command line prints', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(await cli(await testDatabase(), ['--version'])).toEqual({ code: 0, out: `${version}\n`, errors: '' });
  });

  test('prints with --json what the page about the command line shows', async () => {
    const database = await testDatabase();
    const directory = temporaryDirectory();
    const moved = await testDatabase({ migrated: false });
    const made = await commandJson(database, ['key', 'create', '--account', await defaultAccount(database)]);
    const calls: Record<string, string[]> = {
      'sallyport account create': ['account', 'create', 'branch-office'],
      'sallyport account list': ['account', 'list'],
      'sallyport key create': ['key', 'create'],
      'sallyport key list': ['key', 'list'],
      'sallyport key revoke': ['key', 'revoke', made.key.id],
      'sallyport restrictions suspend': ['restrictions', 'suspend'],
      'sallyport approvals suspend': ['approvals', 'suspend'],
      'sallyport ssh-authority create': ['ssh-authority', 'create', '--type', 'ecdsa', '--curve', 'p384'],
      'sallyport ssh-authority list': ['ssh-authority', 'list'],
      'sallyport ssh-authority import': ['ssh-authority', 'import'],
      'sallyport ssh-authority agents': ['ssh-authority', 'agents'],
      'sallyport ssh-authority add': ['ssh-authority', 'add', '--agent', 'mine'],
      'sallyport ssh-authority announce': ['ssh-authority', 'announce'],
      'sallyport ssh-authority hand-over': ['ssh-authority', 'hand-over'],
      'sallyport ssh-authority retire': ['ssh-authority', 'retire'],
      'sallyport ssh-authority status': ['ssh-authority', 'status'],
      'sallyport ssh-enrollment-token create': ['ssh-enrollment-token', 'create', '--principal', '*.db.example.com'],
      'sallyport ssh-enrollment-token list': ['ssh-enrollment-token', 'list'],
      'sallyport ssh-enrollment-token delete': ['ssh-enrollment-token', 'delete'],
      'sallyport audit export': ['audit', 'export'],
      'sallyport audit restore': ['audit', 'restore'],
      'sallyport export haproxy': [
        'export',
        'haproxy',
        '--out',
        directory,
        '--server',
        'a:1',
        '--edge',
        await withEdge(database),
      ],
      'sallyport export nginx': ['export', 'nginx', '--out', directory],
      'sallyport export caddy': ['export', 'caddy', '--out', directory],
      'sallyport export nftables': ['export', 'nftables', '--out', directory],
      'sallyport migrate status': ['migrate', 'status'],
      'sallyport migrate apply': ['migrate', 'apply'],
      'sallyport backup': ['backup', join(directory, 'copy.db')],
      'sallyport restore': ['restore', join(directory, 'copy.db')],
      'sallyport copy': ['copy', '--from', database.url, '--to', moved.url],
      'sallyport secret rotate': ['secret', 'rotate'],
      'sallyport doctor': ['doctor'],
    };
    // What these print depends on a document (`configuration.test.ts`), on the hash chain (`audit-events/page.test.ts`), or on providers.
    const elsewhere = /^sallyport (audit verify|export configuration|import|plan|apply|undo|sign-in \w+)$/;
    const withResults = leafCommands().filter(
      ([name, command]) => documentationOf(command)?.json !== null && !elsewhere.test(name),
    );
    expect(Object.keys(calls).sort()).toEqual(withResults.map(([name]) => name).sort());
    const caKey = join(directory, 'ca.pem');
    writeFileSync(caKey, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const inputOf: Record<string, string> = { 'sallyport ssh-authority import': caKey };
    const agent = await startAgent(keyDirectory());
    onTestFinished(() => agent.stop());
    await agent.generate('ca', '-t', 'ed25519');
    const SIGNING_AGENTS = `mine@default=${agent.socket}`;
    for (const [name, documented] of withResults) {
      if (inject('engine') === 'postgresql' && ofFiles.includes(name)) {
        expect((await command(database, calls[name] ?? [])).code).toBe(1);
        continue;
      }
      if (name === 'sallyport restrictions suspend') await enforceRestriction(database, made.key.accountId);
      if (name === 'sallyport approvals suspend') await requireSecondPerson(database, made.key.accountId);
      if (name === 'sallyport migrate apply') withMigration('29990101000000_note', 'CREATE TABLE note (a TEXT);');
      if (name === 'sallyport copy') copyKey(database, moved);
      if (name === 'sallyport audit export') {
        // One line for each event; the change and its result depend on the object.
        const lines = (await command(database, ['audit', 'export', '--json'])).out.trim().split('\n');
        const events = lines.map((line) => JSON.parse(line));
        expect(Object.keys(events[0])).toEqual(Object.keys(Object(documentationOf(documented)?.json)));
        const made = events.find(({ kind }) => kind === 'SshCertificateAuthority');
        calls['sallyport audit restore']?.push(made.id);
        continue;
      }
      const input = inputOf[name];
      const environment = name === 'sallyport secret rotate' ? nextKey() : { SIGNING_AGENTS };
      const printed = await (input === undefined
        ? commandJson(database, calls[name] ?? [], environment)
        : cliJson(database, calls[name] ?? [], {}, input));
      // The steps after the creation replace the created authority.
      if (name === 'sallyport ssh-authority create') {
        for (const step of ['announce', 'hand-over', 'retire']) {
          calls[`sallyport ssh-authority ${step}`]?.push(printed.sshAuthority.id);
        }
        calls['sallyport ssh-enrollment-token create']?.push('--authority', printed.sshAuthority.id);
      }
      if (name === 'sallyport ssh-enrollment-token create') {
        calls['sallyport ssh-enrollment-token delete']?.push(printed.sshEnrollmentToken.id);
      }
      expect(shapeOf(printed), name).toEqual(shapeOf(documentationOf(documented)?.json));
    }
  });

  test('fails with one line, as JSON where JSON was asked for', async () => {
    const database = await testDatabase();
    const plain = await cli(database, ['key', 'create', '--account', 'nobody']);
    expect(plain).toEqual({ code: 1, out: '', errors: expect.stringMatching(/^There is no account "nobody"\..*\n$/) });
    const json = await cli(database, ['key', 'create', '--account', 'nobody', '--json']);
    expect([json.code, json.out]).toEqual([1, '']);
    expect(JSON.parse(json.errors)).toEqual({ error: plain.errors.trim() });
    await defaultAccount(database);
    const unknown = await command(database, ['key', 'create', '--scope', 'read', 'gates']);
    expect(unknown).toEqual({
      code: 1,
      out: '',
      errors: expect.stringMatching(/^scopes\[1\] must be one of: read, write, /),
    });
    const past = await command(database, ['key', 'create', '--expires', '2020-01-01T00:00:00Z']);
    expect(past).toEqual({ code: 1, out: '', errors: 'expiresAt must be in the future.\n' });
    const wrong = await cli(database, ['ssh-authority', 'create', '--type', 'dsa']);
    expect(wrong.code).toBe(1);
    expect(wrong.errors).toContain("argument 'dsa' is invalid. Allowed choices are ed25519, ecdsa, rsa.");
  });
});

/** Creates the account that commands use by default. */
async function defaultAccount(database: TestDatabase): Promise<string> {
  return (await commandJson(database, ['account', 'create', 'default'])).account.id;
}

/** Returns the names and types in a document. Lists have the shape of their first item; counts by table are not looked into. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null || typeof value !== 'object') return value === null ? 'string' : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]) => [name, name === 'tables' ? 'by table' : name === 'pending' ? 'names' : shapeOf(inner)])
      .sort(([a = ''], [b = '']) => (String(a) < String(b) ? -1 : 1)),
  );
}

describe('doctor', () => {
  const levels = async (database: TestDatabase, environment: Record<string, string> = {}) => {
    const { checks } = await commandJson(database, ['doctor'], environment);
    return Object.fromEntries(checks.map(({ name, level }: { name: string; level: string }) => [name, level]));
  };

  test('finds nothing on a good database, beside its server', async () => {
    const database = await testDatabase({ migrated: false });
    const server = await readyServer(database);
    const { code, out, errors } = await cli(database, ['doctor']);
    const found = out.split('\n').filter((line) => !/^(ok {2}|$)/.test(line));
    // The PostgreSQL of the tests does not survive a crash of its machine.
    expect(found.filter((line) => !line.startsWith('fail  durability: '))).toEqual([]);
    expect([code, errors]).toEqual([found.length, '']);
    expect(out.match(/^ok /gm)?.length).toBeGreaterThan(byEngine({ sqlite: 10, postgresql: 9 }));
    expect((await rest(server.url, 'GET', '/ip_policies')).status).toBe(200);
  });

  test('names each fault, and exits with 1 when something fails', async () => {
    const database = await usedDatabase();
    const [authority] = (await commandJson(database, ['ssh-authority', 'list'])).sshAuthorities;
    const certificate = (id: string, principals: string, validUntil: string) =>
      execute(
        database,
        `INSERT INTO "SshHostCertificate" ("id", "accountId", "createdAt", "sshCertificateAuthorityId", "publicKey", "keyType",
          "principals", "validAfter", "validUntil", "serial", "certificate")
        VALUES ('${id}', '${authority.accountId}', '${day(-400)}', '${authority.id}', 'k', 'ed25519',
          '${principals}', '${day(-400)}', '${validUntil}', ${id.length}, 'c')`,
      );
    await certificate('shcrt_a', '["a.example.com"]', day(3.5));
    await certificate('shcrt_bb', '["b.example.com"]', day(-1));
    await certificate('shcrt_ccc', '["c.example.com"]', day(90));
    expect(await levels(database)).toMatchObject({ certificates: 'warn', openssh: 'ok' });
    await certificate('shcrt_dddd', '[]', day(90));
    await certificate('shcrt_eeeee', '["*.example.com"]', day(90));
    await execute(
      database,
      `INSERT INTO "IpRestriction" ("id", "accountId", "type", "description", "createdAt") VALUES ('ipx_1', 'a', 'api', 'Offices', '${day(-1)}')`,
      `INSERT INTO "IpRestrictionPolicy" VALUES ('a', 'ipx_1', 0, 'ipp_gone')`,
      `INSERT INTO "IpPolicy" ("id", "accountId", "createdAt") VALUES ('ipp_future', 'a', '${day(2)}')`,
      'DELETE FROM "ApiKey"',
    );
    const { code, out } = await cli(database, ['doctor'], { HOST: '0.0.0.0' });
    expect(code).toBe(1);
    const line = (name: string) => out.split('\n').find((found) => found.slice(6).startsWith(`${name}: `)) ?? '';
    expect(line('configuration')).toMatch(/^warn .*Set BASE_URL/);
    expect(line('clock')).toMatch(/^fail .*the newest object is from/);
    expect(line('access')).toMatch(/^warn .*nobody can make requests/);
    expect(line('openssh')).toContain('1 host certificate without principals, which 10.3 and later refuse');
    expect(line('openssh')).toContain(
      '1 host certificate with a wildcard principal, which versions before 10.3 refuse',
    );
    expect(line('certificates')).toBe(
      'warn  certificates: 1 host certificate ended and not replaced: "b.example.com" 1 day ago; 1 host certificate late, expiring ' +
        `within 30 days: "a.example.com" in 3 days. Of these, the authority without description (${authority.id}) has 2. ` +
        'Renew them; or enroll their hosts again, which replaces them. Delete those of hosts that are gone.',
    );
    expect(line('restrictions')).toContain('of the restriction "Offices" to the policy without description (ipp_gone)');
    expect(await levels(database, { HOST: '0.0.0.0', BASE_URL: 'https://a.test' })).toMatchObject({
      configuration: 'warn',
    });

    const misconfigured = await command(database, ['doctor'], { PORT: 'many' });
    expect(misconfigured).toMatchObject({ code: 1, out: expect.stringMatching(/^fail {2}configuration: .*PORT/) });
  });
});
