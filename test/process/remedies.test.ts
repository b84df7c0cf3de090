// Every remedy that a message or page recommends, taken from where it is recommended: first there is the problem, and after the
// remedy it is gone.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { commands } from '../../dashboard/src/client/commands.ts';
import { chainEvents } from '../../src/areas/audit-events/chain/chaining-store.ts';
import { parsePublicKey } from '../../src/areas/ssh/keys/public-key.ts';
import { verifySshSignature } from '../../src/areas/ssh/keys/sshsig.ts';
import { readConfig } from '../../src/config.ts';
import { remedies } from '../../src/domain/remedies.ts';
import { formatTimestamp } from '../../src/domain/values/time.ts';
import { messageOf } from '../../src/domain/wording.ts';
import { createOutgoing, type OutgoingSettings } from '../../src/outgoing/outgoing.ts';
import { secretKeyUpkeep } from '../../src/storage/keys/key-age.ts';
import { visitDatabase } from '../../src/storage/lifecycle/open.ts';
import { execute, type NamedDatabase, testDatabase } from '../support/database.ts';
import { keyDirectory } from '../support/openssh.ts';
import { startAgent } from '../support/ssh-agent.ts';
import { command, commandJson } from './one-process.ts';
import {
  cli,
  type Environment,
  endOf,
  readyServer,
  rest,
  start,
  startServer,
  temporaryDirectory,
  until,
  usedDatabase,
  withMigration,
} from './support.ts';

/** Returns what a text recommends that begins like this. */
function recommended(text: string, beginning: string): string {
  const found = new RegExp(`${beginning}[^".,;\n]*`).exec(text)?.[0];
  if (found === undefined) throw new Error(`Nothing is recommended that begins with ${beginning}: ${text}`);
  return found.trim();
}

/** Returns the message of the error that something throws. */
function messageFrom(fails: () => unknown): string {
  try {
    fails();
  } catch (error) {
    return messageOf(error);
  }
  throw new Error('Nothing is wrong.');
}

/** Runs a recommended command of ours as it is; returns all that it prints. */
async function run(database: NamedDatabase, recommendation: string, environment?: Environment): Promise<string> {
  const { out, errors } = await command(database, recommendation.split(' ').slice(1), environment);
  return out + errors;
}

/** Returns what `doctor` finds fault with in some checks, and what it recommends. */
async function faults(database: NamedDatabase, name: string, environment?: Environment): Promise<string> {
  const { checks } = await commandJson(database, ['doctor'], environment);
  const found = checks.filter((check: { name: string; level: string }) => check.name === name && check.level !== 'ok');
  return found.map(({ message, remedy }: { message: string; remedy: string }) => `${message} ${remedy}`).join(' ');
}

/** Walks to a setting that `doctor` recommends. */
const byDoctor = (setting: string, before: Environment, value: string) => async () => {
  const database = await testDatabase();
  expect(await faults(database, 'configuration', before)).toContain(setting);
  const name = setting.split('=')[0] ?? '';
  expect(await faults(database, 'configuration', { ...before, [name]: value })).not.toContain(name);
};

/** What other programs may need, and this one cannot do. */
const otherProtocol = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };

/** Takes an authority of an account other than the first one to the point where a next step is recommended. */
async function authorityAfter(...steps: readonly string[]) {
  const database = await usedDatabase(0);
  await command(database, ['account', 'create', 'branch']);
  await command(database, ['ssh-authority', 'create', '--account', 'branch']);
  const status = async () =>
    (await commandJson(database, ['ssh-authority', 'status', '--account', 'branch'])).sshAuthorities[0];
  for (const step of steps)
    await run(database, recommended((await status()).nextStep, `sallyport ssh-authority ${step}`));
  return { database, status };
}

/** Walks to taking back what was made although nobody could be told its secret. */
const takesBack =
  (group: string, create: readonly string[], ...made: readonly string[]): (() => Promise<void>) =>
  async () => {
    const database = await usedDatabase(0);
    const [{ id: authority }] = (await commandJson(database, ['ssh-authority', 'list'])).sshAuthorities;
    const args = [group, ...create].map((argument) => argument.replace('$authority', authority));
    const full = ['sh', '-c', '"$@" > /dev/full', 'sh'];
    const { errors } = await endOf(start('cli', args, database.environment, full));
    const list = () => command(database, [group, 'list']).then(({ out }) => out);
    for (const word of made) expect(await list()).toContain(word);
    await run(database, recommended(errors, `sallyport ${group}`));
    for (const word of made) expect(await list()).not.toContain(word);
  };

const makesStep = (before: readonly string[], step: string, state: string) => async () => {
  const { database, status } = await authorityAfter(...before);
  const { nextStep, state: former } = await status();
  expect(former).not.toBe(state);
  await run(database, recommended(nextStep, `sallyport ssh-authority ${step}`));
  expect((await status()).state).toBe(state);
};

const onSqlite = inject('engine') === 'sqlite';

/** Remedies of the database file. */
const ofSqlite = new Set(['keepToOwner', 'restoreBackup', 'rotateSecretKey', 'setDatabaseUrl', 'verifyRestored']);

/** How each remedy is walked. */
const walks: Readonly<Record<keyof typeof remedies, () => Promise<void>>> = {
  async suspendSignIn() {
    const database = await testDatabase();
    const { url } = await readyServer(database);
    const { id: account } = (await commandJson(database, ['account', 'create', 'branch'])).account;
    const { token } = (await commandJson(database, ['key', 'create', '--account', 'branch'])).key;
    const provider = { issuer: 'https://idp.example.com', name: 'Ours', client_id: 'x', client_secret: 'x' };
    const off = { enabled: false, refuses_keys: true };
    const made = await rest(url, 'POST', '/sign_in_providers', { ...provider, ...off }, token, {
      'Sallyport-Force': 'true',
    });
    expect(made.status).toBe(201);
    // As if the provider had answered when it was enabled.
    await execute(database, 'UPDATE "SignInProvider" SET "enabled" = TRUE');
    const signIn = () =>
      fetch(`${url}/dashboard/session`, {
        method: 'POST',
        headers: { 'Sallyport-Dashboard': '1', 'Content-Type': 'application/json' },
        body: JSON.stringify({ token }),
      });
    const refused = await signIn();
    expect(refused.status).toBe(403);
    const { details } = await refused.json();
    expect(details.command).toBe(remedies.suspendSignIn(account));
    await run(database, details.command);
    expect((await signIn()).status).toBe(201);
  },
  async suspendApprovals() {
    const database = await testDatabase();
    const { url } = await readyServer(database);
    const { id: account } = (await commandJson(database, ['account', 'create', 'branch'])).account;
    const { token } = (await commandJson(database, ['key', 'create', '--account', 'branch'])).key;
    // As if a person had switched it on.
    await execute(
      database,
      `INSERT INTO "ApprovalSettings" ("id", "accountId", "required", "createdAt", "updatedAt")
        VALUES ('aset_01m7zyw6zafqcr4sdy2ts2hezy', '${account}', TRUE, '2026-01-01 00:00:00', '2026-01-01 00:00:00')`,
    );
    const create = () => rest(url, 'POST', '/roles', { name: 'network', scopes: ['read'] }, token);
    const refused = await create();
    expect(refused.status).toBe(403);
    const { details } = await refused.json();
    expect(details.command).toBe(remedies.suspendApprovals(account));
    await run(database, details.command);
    expect((await create()).status).toBe(201);
  },
  async suspendRestrictions() {
    const database = await testDatabase();
    const { url } = await readyServer(database);
    const account = (await commandJson(database, ['account', 'create', 'branch'])).account.id;
    const { token } = (await commandJson(database, ['key', 'create', '--account', 'branch'])).key;
    const policy = await (await rest(url, 'POST', '/ip_policies', {}, token)).json();
    for (const type of ['api', 'endpoints']) {
      const restriction = { type, enforced: true, ip_policy_ids: [policy.id], description: `${type} only` };
      await rest(url, 'POST', '/ip_restrictions', restriction, token, { 'Sallyport-Force': 'true' });
      if (type === 'api') {
        const refused = await rest(url, 'GET', '/ip_policies', undefined, token);
        expect(refused.status).toBe(403);
        const { msg, details } = await refused.json();
        expect(msg.endsWith(`: ${details.command}`)).toBe(true);
        await run(database, details.command);
        await until(async () => (await rest(url, 'GET', '/ip_policies', undefined, token)).status === 200);
      }
    }
    // Where the type is none of those that guard Sallyport itself, the message says so.
    const others = await run(database, remedies.suspendRestrictions(account));
    expect(await run(database, recommended(others, 'sallyport restrictions suspend'))).toContain('"endpoints only"');
  },
  async listAccounts() {
    const database = await usedDatabase(0);
    const { errors } = await command(database, ['key', 'list', '--account', 'nobody']);
    const [, , name = ''] = (await run(database, recommended(errors, 'sallyport account'))).trim().split(/ +/);
    expect((await command(database, ['key', 'list', '--account', name])).code).toBe(0);
  },
  async createAccount() {
    const database = await testDatabase();
    const problem = await faults(database, 'access');
    await run(database, recommended(problem, 'sallyport account create'));
    expect(await faults(database, 'access')).not.toContain('account create');
  },
  async createKey() {
    const database = await testDatabase();
    await command(database, ['account', 'create', 'branch']);
    await run(database, recommended(await faults(database, 'access'), 'sallyport key create'));
    expect(await faults(database, 'access')).toBe('');
  },
  async undo() {
    const database = await usedDatabase(0);
    await command(database, ['account', 'create', 'branch']);
    const file = join(temporaryDirectory(), 'sallyport.json');
    writeFileSync(file, JSON.stringify({ ipPolicies: { office: {} } }));
    const where = ['--account', 'branch', '--file', file];
    const { out } = await command(database, ['apply', ...where]);
    const undone = await run(database, recommended(out, 'sallyport undo'));
    expect(await command(database, ['plan', ...where])).toMatchObject({ code: 2 });
    await run(database, recommended(undone, 'sallyport undo'));
    expect(await command(database, ['plan', ...where])).toMatchObject({ code: 0 });
  },
  async listKeys() {
    const database = await usedDatabase(0);
    const { errors } = await command(database, ['key', 'revoke', `ak_${'0'.repeat(26)}`]);
    expect(errors).toContain('There is no API key');
    expect(await run(database, recommended(errors, 'sallyport key list'))).toMatch(/^ak_/);
  },
  revokeKey: takesBack('key', ['create', '--description', 'lost'], 'lost'),
  async revokeKeyAnyway() {
    const database = await usedDatabase(0);
    const [{ id }] = (await commandJson(database, ['key', 'list'])).keys;
    const { errors } = await command(database, ['key', 'revoke', id]);
    expect(errors).toContain('is the last valid API key of the account with all rights');
    expect(await run(database, recommended(errors, 'sallyport key revoke'))).toBe(`${id} is revoked.\n`);
    expect(await faults(database, 'access')).toContain('There is no valid API key');
  },
  deleteEnrollmentToken: takesBack(
    'ssh-enrollment-token',
    ['create', '--authority', '$authority', '--principal', 'a.example.com'],
    'a.example.com',
  ),
  async importAuthority() {
    const database = await usedDatabase(0);
    const file = join(temporaryDirectory(), 'ca');
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
    const [text, input] = remedies.importAuthority(file).split(' < ');
    const { out } = await cli(database, text?.split(' ').slice(1) ?? [], {}, input);
    const imported = readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ');
    expect(out).toContain(imported);
  },
  async setSigningAgents() {
    const database = await usedDatabase(0);
    const agent = await startAgent(keyDirectory());
    const publicKey = await agent.generate('ca', '-t', 'ed25519');
    const add = (settings: Record<string, string>) =>
      cli(database, ['ssh-authority', 'add', '--agent', 'mine'], settings);
    const refused = await add({});
    const setting = recommended(refused.errors, remedies.setSigningAgents);
    const made = await add({ [setting]: `mine@default=${agent.socket}` });
    expect([made.errors, made.out]).toEqual(['', expect.stringContaining(publicKey)]);
    await agent.stop();
  },
  announceSuccessor: makesStep([], 'announce', 'successor_announced'),
  handOver: makesStep(['announce'], 'hand-over', 'handed_over'),
  retire: makesStep(['announce', 'hand-over'], 'retire', 'retired'),
  async retireAndRevoke() {
    const database = await usedDatabase(0);
    const status = async () => (await commandJson(database, ['ssh-authority', 'status'])).sshAuthorities[0];
    const { id, publicKey: public_key } = (await commandJson(database, ['ssh-authority', 'list'])).sshAuthorities[0];
    const { url } = await readyServer(database);
    const body = { ssh_certificate_authority_id: id, public_key };
    expect((await rest(url, 'POST', '/ssh_host_certificates', body)).status).toBe(201);
    for (const step of ['announce', 'hand-over'])
      await run(database, recommended((await status()).nextStep, `sallyport ssh-authority ${step}`));
    const [atTheEnd = '', atOnce = ''] = (await status()).nextStep.split('; or ');
    expect(await run(database, recommended(atTheEnd, 'sallyport'))).toContain('Not everything that the certificate');
    await run(database, recommended(atOnce, 'sallyport'));
    expect((await status()).state).toBe('retired');
  },
  async migrate() {
    const database = await usedDatabase(0);
    withMigration('29990101000000_note', 'CREATE TABLE note (a TEXT);');
    const { errors } = await command(database, ['key', 'list']);
    expect(errors).toContain('is of an older version');
    await run(database, recommended(errors, 'sallyport migrate'));
    expect((await command(database, ['key', 'list'])).code).toBe(0);
  },
  // It is recommended where the answer of a commit has been lost: it tells which of the two happened.
  async showMigrations() {
    const database = await usedDatabase(0);
    withMigration('29990101000000_note', 'CREATE TABLE note (a TEXT);');
    const pending = async () => (await run(database, remedies.showMigrations)).includes('pending  29990101000000_note');
    expect(await pending()).toBe(true);
    await run(database, remedies.migrate);
    expect(await pending()).toBe(false);
  },
  async verifyRestored() {
    const database = await usedDatabase(1);
    const file = join(temporaryDirectory(), 'checkpoints.json');
    const chained = async (...hours: number[]) => {
      const storage = await visitDatabase({ databaseUrl: database.url, secretKey: null });
      const never = new AbortController().signal;
      for (const hour of hours) await chainEvents(storage.server, new Date(Date.now() + hour * 3_600_000), never);
      await storage.close();
    };
    await chained(1, 2);
    const copy = join(temporaryDirectory(), 'copy.db');
    await command(database, ['backup', copy]);
    await command(database, ['key', 'create']);
    await chained(3, 4);
    const rows = await execute(
      database,
      'SELECT "accountId", "number", "size", "digest", "head", "signature", "createdAt" FROM "AuditCheckpoint" ORDER BY "number"',
    );
    const names = ['accountId', 'number', 'size', 'digest', 'head', 'signature'];
    const kept = rows.map((row) => ({
      ...Object.fromEntries(names.map((name, index) => [name, row[index]])),
      createdAt: formatTimestamp(new Date(String(row[6]))),
    }));
    writeFileSync(file, JSON.stringify(kept));
    await command(database, ['restore', copy]);
    const refused = await command(database, ['audit', 'verify', '--checkpoint', file]);
    expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('The trail ends before checkpoint 2 of ')]);
    const remedy = recommended(refused.out, 'sallyport audit verify');
    const filled = remedy.replace('<file>', file).replace('<time>', kept[0]?.createdAt ?? '');
    const gone = '1 checkpoint that you have came after the backup: the events up to there are gone.';
    expect(await run(database, filled)).toContain(gone);
    // The chain goes on from the backup, with another checkpoint of that number.
    await command(database, ['key', 'create']);
    await chained(5, 6);
    expect((await command(database, ['audit', 'verify', '--checkpoint', file])).out).toContain(remedy);
    expect(await run(database, filled)).toContain(gone);
  },
  async copyDatabase() {
    const database = await usedDatabase(0);
    const [counts, keyFile] = ['counts', database.engine.keyFile];
    expect(await faults(database, counts)).toBe('');
    await execute(database, `UPDATE "ObjectCount" SET "count" = "count" + 1 WHERE "kind" = 'AuditEvent'`);
    const problem = await faults(database, counts);
    expect(problem).toContain('AuditEvent');
    const to = await testDatabase({ migrated: false });
    const remedy = recommended(problem, 'sallyport copy').replace('<url>', database.url).replace('<new url>', to.url);
    const SECRET_KEY = keyFile === null ? database.environment.SECRET_KEY : readFileSync(keyFile, 'utf8').trim();
    await run(database, remedy, { SECRET_KEY });
    expect(await faults(to, counts)).toBe('');
  },
  async restoreBackup() {
    const database = await usedDatabase(1);
    const copy = join(temporaryDirectory(), 'copy.db');
    expect((await command(database, ['backup', copy])).code).toBe(0);
    writeFileSync(database.engine.name, 'no database any more', { flag: 'r+' });
    const problem = (await endOf(await startServer(database))).errors;
    expect(await faults(database, 'migrations')).toContain(recommended(problem, 'If this is the right file'));
    await run(database, recommended(problem, 'sallyport restore').replace('<file>', copy));
    const restored = await readyServer(database);
    expect((await rest(restored.url, 'GET', '/ip_policies')).status).toBe(200);
  },
  async convertPublicKey() {
    const file = join(temporaryDirectory(), 'key');
    spawnSync('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-N', '', '-f', file]);
    const form = (to: string) => spawnSync('ssh-keygen', ['-e', '-m', to, '-f', file]).stdout.toString();
    for (const name of ['PKCS8', 'PEM', 'RFC4716']) {
      writeFileSync(`${file}.${name}`, form(name));
      const problem = messageFrom(() => parsePublicKey(form(name)));
      const [command = ''] = /ssh-keygen[^`]*/.exec(problem) ?? [];
      expect(problem).toContain(`-m ${name}`);
      const remedy = command.replace('PKCS8', name).replace('FILE', `${file}.${name}`);
      expect(parsePublicKey(spawnSync('sh', ['-c', remedy]).stdout.toString()).keyType).toBe('rsa');
    }
  },
  async rewritePrivateKey() {
    const database = await usedDatabase(0);
    const file = join(temporaryDirectory(), 'ca');
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-Z', '3des-cbc', '-N', 'a passphrase', '-f', file]);
    const args = ['ssh-authority', 'import', '--passphrase', `file:${file}.pass`];
    writeFileSync(`${file}.pass`, 'a passphrase');
    const { errors } = await cli(database, args, {}, file);
    const [remedy = ''] = /ssh-keygen[^`]*/.exec(errors) ?? [];
    spawnSync('sh', ['-c', `${remedy.replace('COPY', file)} -P 'a passphrase' -N 'a passphrase'`]);
    expect((await cli(database, args, {}, file)).code).toBe(0);
  },
  async rotateSecretKey() {
    const database = await usedDatabase(1);
    const storage = await visitDatabase({ databaseUrl: database.url, secretKey: null });
    // As a server has, five years ago.
    const then = new Date(Date.now() - 5 * 365 * 86_400_000);
    await secretKeyUpkeep(1).hourly?.(storage.server, then, new AbortController().signal);
    await storage.close();
    const age = () => faults(database, 'secret key age');
    expect(await age()).toContain('for more than 730 days. Stop the server, run "sallyport secret rotate", start');
    await run(database, remedies.rotateSecretKey);
    expect(await age()).toBe('');
    expect(await faults(database, 'secret key')).toBe('');
  },
  async signAs() {
    const file = join(temporaryDirectory(), 'key');
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
    const expected = {
      publicKey: parsePublicKey(readFileSync(`${file}.pub`, 'utf8')),
      namespace: 'sallyport-renew',
      message: 'a challenge',
    };
    const signedBy = (command: string) =>
      spawnSync('sh', ['-c', `${command} -f ${file}`], { input: expected.message }).stdout.toString();
    const wrong = verifySshSignature(signedBy(remedies.signAs('file')), expected).catch(messageOf);
    const [remedy = ''] = /ssh-keygen[^`]*/.exec(String(await wrong)) ?? [];
    await verifySshSignature(signedBy(remedy), expected);
  },
  async keepToOwner() {
    const database = await usedDatabase(0);
    const file = database.engine.name;
    chmodSync(dirname(file), 0o755);
    chmodSync(file, 0o644);
    const remedy = /chmod 600 \S+/.exec(await faults(database, 'file'))?.[0] ?? '';
    spawnSync('sh', ['-c', remedy]);
    expect([statSync(file).mode & 0o777, await faults(database, 'file')]).toEqual([0o600, '']);
  },
  async makeSecretKey() {
    const database = await testDatabase();
    expect(await faults(database, 'configuration', { SECRET_KEY: 'secret' })).toContain(remedies.makeSecretKey);
    const key = spawnSync('sh', ['-c', remedies.makeSecretKey]).stdout.toString().trim();
    expect(await faults(database, 'configuration', { SECRET_KEY: key })).toBe('');
  },
  setTrustProxy: byDoctor(remedies.setTrustProxy, { BASE_URL: 'https://sallyport.example.com' }, '1'),
  setLogsProtocol: byDoctor(remedies.setLogsProtocol, otherProtocol, 'http/json'),
  setNoLogsExporter: byDoctor(remedies.setNoLogsExporter, otherProtocol, 'none'),
  async addGateProxy() {
    const database = await testDatabase();
    const stranger = await readyServer(database, { GATE_PROXIES: '192.0.2.1' });
    const edge = await (await rest(stranger.url, 'POST', '/edges/https', {})).json();
    const question = (url: string) => fetch(`${url}/gate/auth-request/${edge.id}`);
    expect((await question(stranger.url)).status).toBe(404);
    await until(() => stranger.printed.errors.includes(`add its address to ${remedies.addGateProxy}`));
    const { client } = stranger.log().find(({ msg }) => String(msg).includes(remedies.addGateProxy)) ?? {};
    stranger.child.kill('SIGTERM');
    await stranger.ended;
    const proxy = await readyServer(database, { GATE_PROXIES: `192.0.2.1,${client}` });
    expect((await question(proxy.url)).status).toBe(403);
  },
  async allowOutgoing() {
    const server = createServer((_, answer) => answer.end('inside')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${Object(server.address()).port}/`;
    const ask = (settings: OutgoingSettings) => createOutgoing(settings).fetch('account', url, { bytesMax: 100 });
    const refusal = await ask(readConfig({})).catch(messageOf);
    const setting = recommended(String(refusal), remedies.allowOutgoing);
    expect(String((await ask(readConfig({ [setting]: '127.0.0.1' }))).body)).toBe('inside');
    server.close();
  },
  setBaseUrl: byDoctor(remedies.setBaseUrl, { HOST: '0.0.0.0' }, 'http://192.0.2.1:4000'),
  setMetricsToken: byDoctor(
    remedies.setMetricsToken,
    { HOST: '0.0.0.0', BASE_URL: 'http://192.0.2.1:4000' },
    'a-token-of-some-length',
  ),
  async setSecretKey() {
    const database = await usedDatabase(0);
    const wrong = Buffer.alloc(32, 9).toString('base64');
    const { keyFile } = database.engine;
    const right = keyFile === null ? database.environment.SECRET_KEY : readFileSync(keyFile, 'utf8').trim();
    expect(await faults(database, 'secret key', { SECRET_KEY: wrong })).toContain(remedies.setSecretKey);
    expect(await faults(database, 'secret key', { SECRET_KEY: right })).toBe('');
  },
  async setNewSecretKey() {
    const database = await usedDatabase(0);
    const { keyFile } = database.engine;
    const SECRET_KEY = keyFile === null ? database.environment.SECRET_KEY : readFileSync(keyFile, 'utf8').trim();
    const { errors } = await command(database, ['secret', 'rotate'], { SECRET_KEY });
    const NEW_SECRET_KEY = spawnSync('sh', ['-c', recommended(errors, 'openssl')])
      .stdout.toString()
      .trim();
    expect(errors).toContain(`set ${remedies.setNewSecretKey}`);
    expect((await command(database, ['secret', 'rotate'], { SECRET_KEY, NEW_SECRET_KEY })).code).toBe(0);
    expect(await faults(database, 'secret key', { SECRET_KEY: NEW_SECRET_KEY })).toBe('');
  },
  async setDatabaseUrl() {
    const database = await usedDatabase(0);
    const nowhere = { DATABASE_URL: `file:${join(temporaryDirectory(), 'none.db')}` };
    expect(await faults(database, 'database', nowhere)).toContain(`Set ${remedies.setDatabaseUrl}`);
    expect(await faults(database, 'database')).toBe('');
  },
};

for (const [name, walk] of Object.entries(walks)) {
  test.skipIf(!onSqlite && ofSqlite.has(name))(`the remedy ${name} helps`, walk);
}

test('the dashboard recommends the same', () => {
  const shown = (remedy: string | ((accountId: string) => string)) =>
    typeof remedy === 'string' ? remedy : remedy('acct_1');
  for (const [name, write] of Object.entries(commands)) {
    const ours = remedies[name as keyof typeof commands];
    expect(shown(write)).toBe(shown(ours));
  }
});
