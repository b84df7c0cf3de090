// Certificate authorities on the command line: importing an existing key, and replacing an authority.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { command, commandJson } from './one-process.ts';
import { cli, endOf, programFile, readyServer, rest, start, temporaryDirectory, until } from './support.ts';

const isMissing = (program: string) => spawnSync(program, ['--version']).error !== undefined;
const noKeygen = spawnSync('ssh-keygen', ['-?']).error !== undefined;
const passphrase = 'correct horse – battery';

interface KeyFile {
  readonly file: string;
  /** The line of its public key, without its comment. */
  readonly line: string;
}

function keygen(secret: string, ...options: string[]): KeyFile {
  const file = join(temporaryDirectory(), 'ca_key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-a', '2', '-N', secret, '-C', 'ca', '-f', file, ...options]);
  return { file, line: readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ') };
}

/** Creates a database with an account, as the first start of a server does. */
async function databaseWithAccount(): Promise<TestDatabase> {
  const database = await testDatabase();
  await command(database, ['account', 'create', 'default']);
  return database;
}

/** Runs the import with a file as standard input. */
function importing(database: TestDatabase, file: string, args: readonly string[] = [], environment = {}, shell = '') {
  const wrapper = ['sh', '-c', `${shell} exec "$@" < '${file}'`, 'sh'];
  return endOf(
    start('cli', ['ssh-authority', 'import', ...args], { ...database.environment, ...environment }, wrapper),
  );
}

test.skipIf(noKeygen)(
  'a key is imported from standard input, and its passphrase from where it is said to be',
  async () => {
    const database = await databaseWithAccount();
    const plain = keygen('');
    const done = await importing(database, plain.file, ['--description', 'from the safe']);
    expect(done).toEqual({ code: 0, out: expect.stringMatching(/^sshca_\w{26}\nssh-ed25519 \S+\n$/), errors: '' });
    expect(done.out.split('\n')[1]).toBe(plain.line);
    expect((await commandJson(database, ['ssh-authority', 'list'])).sshAuthorities).toMatchObject([
      { description: 'from the safe', keyType: 'ed25519', publicKey: plain.line },
    ]);

    const sources = [
      (file: string) => ({ args: ['--passphrase', `file:${file}`] }),
      () => ({ args: ['--passphrase', 'env:CA_PASS'], environment: { CA_PASS: passphrase } }),
      (file: string) => ({ args: ['--passphrase', 'fd:7'], shell: `exec 7< '${file}';` }),
    ];
    for (const source of sources) {
      const key = keygen(passphrase);
      writeFileSync(`${key.file}.pass`, `${passphrase}\nanother line\n`);
      const {
        args,
        environment = {},
        shell = '',
      } = { environment: undefined, shell: undefined, ...source(`${key.file}.pass`) };
      const ended = await importing(database, key.file, args, environment, shell);
      expect(ended).toEqual({ code: 0, out: expect.stringContaining(key.line), errors: '' });
    }
  },
);

test.skipIf(noKeygen)('a key that cannot be imported is refused in one line, which has nothing of it', async () => {
  const database = await databaseWithAccount();
  const [plain, locked] = [keygen(''), keygen(passphrase)];
  await importing(database, plain.file);
  const refused = async (file: string, args: readonly string[] = [], environment = {}) => {
    const { code, out, errors } = await importing(database, file, args, environment);
    expect([code, out]).toEqual([1, '']);
    expect(errors).not.toContain(passphrase);
    for (const line of readFileSync(file, 'utf8').split('\n')) if (line.length > 40) expect(errors).not.toContain(line);
    return errors.replace(/sshca_\w{26}/, 'sshca_...').replace(/SHA256:\S{43}/, 'SHA256:...');
  };
  const wrong = { CA_PASS: 'wrong' };
  expect(await refused(locked.file, ['--passphrase', 'env:CA_PASS'], wrong)).toBe(
    'privateKey cannot be decrypted: the passphrase is wrong, or the file is damaged.\n',
  );
  expect(await refused(plain.file)).toBe(
    'privateKey is the key of the certificate authority without description (sshca_...) already (SHA256:...). Go on with that authority.\n',
  );
  expect(await refused(`${plain.file}.pub`)).toBe(
    'privateKey must be a private key, but this is a public key. Send the file without .pub.\n',
  );
  expect(await refused(locked.file, ['--passphrase', passphrase])).toBe(
    'The passphrase must be named as env:NAME, file:PATH or fd:NUMBER, and never be an argument itself.\n',
  );
  expect(await refused(locked.file, ['--passphrase', 'env:NOBODY'])).toBe(
    'The passphrase is to be in the variable NOBODY, which is not set.\n',
  );
  expect(await refused(locked.file, ['--passphrase', 'file:/nowhere'])).toBe(
    'The passphrase cannot be read from the file /nowhere.\n',
  );
  expect(await refused(locked.file, ['--passphrase', 'fd:0'])).toBe(
    'The descriptor of the passphrase must be a number from 1 on.\n',
  );
});

test.skipIf(noKeygen || isMissing('setsid'))('without a terminal nobody is asked for a passphrase', async () => {
  const database = await databaseWithAccount();
  const { file } = keygen(passphrase);
  const wrapper = ['setsid', '-w', 'sh', '-c', `exec "$@" < '${file}'`, 'sh'];
  const command = start('cli', ['ssh-authority', 'import'], database.environment, wrapper);
  expect(await endOf(command)).toEqual({
    code: 1,
    out: '',
    errors:
      'The key has a passphrase, and there is no terminal to ask for it. Say where it is: --passphrase file:PATH, env:NAME or fd:NUMBER.\n',
  });
});

test.skipIf(noKeygen || isMissing('script'))('on a terminal the passphrase is asked for, and not shown', async () => {
  const database = await databaseWithAccount();
  const { file, line } = keygen(passphrase);
  const program = programFile('dist/cli.js');
  const command = `'${process.execPath}' '${program}' ssh-authority import < '${file}'`;
  // A separate terminal, which shows what is typed unless it is told not to.
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env.PATH, ...database.environment },
  });
  let shown = '';
  terminal.stdout.on('data', (text) => {
    shown += text;
  });
  const ended = new Promise((resolve) => terminal.once('close', resolve));
  await until(() => shown.includes('Passphrase of the private key: '));
  // One letter too many, which is deleted again.
  terminal.stdin.write(`${passphrase}x\u007f\r`);
  expect(await ended).toBe(0);
  expect(shown).toContain(line);
  expect(shown).not.toContain('horse');
});

test('an authority is replaced by commands, and status says what comes next', async () => {
  const { url, environment } = await testDatabase();
  const sealedWith = (byte: number) => {
    const SECRET_KEY = Buffer.alloc(32, byte).toString('base64');
    return { environment: { ...environment, SECRET_KEY } };
  };
  const [database, renewed] = [sealedWith(7), sealedWith(8)];
  const server = await readyServer(database);
  const [old, key] = (await cli(database, ['ssh-authority', 'create', '--description', 'office'])).out.split('\n');
  const status = async () => (await command(database, ['ssh-authority', 'status'])).out;
  const [{ id: account }] = (await commandJson(database, ['account', 'list'])).accounts;
  expect(await status()).toBe(
    `${old}  active  no certificates left  office\n  @cert-authority * ${key}\n` +
      `  next: to replace it: sallyport ssh-authority announce ${old} --account ${account}\n`,
  );
  const early = await command(database, ['ssh-authority', 'hand-over', `${old}`]);
  expect(early).toEqual({
    code: 1,
    out: '',
    errors: 'The certificate authority has no successor. Announce one first, and give its line to the clients.\n',
  });

  const body = { ssh_certificate_authority_id: old, public_key: key };
  const made = await (await rest(server.url, 'POST', '/ssh_host_certificates', body)).json();
  const [successor, newKey] = (await command(database, ['ssh-authority', 'announce', `${old}`])).out.split('\n');
  const left = `certificates left: 1, until ${made.valid_until}`;
  expect(await status()).toBe(
    `${old}  successor_announced  ${left}  office\n  @cert-authority * ${key}\n` +
      `  next: once all clients trust the successor, without description (${successor}): sallyport ssh-authority hand-over ${old} --account ${account}\n` +
      `${successor}  active  no certificates left\n  @cert-authority * ${newKey}\n` +
      `  next: to replace it: sallyport ssh-authority announce ${successor} --account ${account}\n`,
  );
  const handed = await command(database, ['ssh-authority', 'hand-over', `${old}`]);
  expect(handed).toEqual({
    code: 0,
    out:
      `${old}  handed_over  ${left}  office\n  @cert-authority * ${key}\n` +
      `  next: after the end of 1 host certificate, at ${made.valid_until}: sallyport ssh-authority retire ${old} --account ${account}; ` +
      `or once their hosts have renewed: sallyport ssh-authority retire ${old} --account ${account} --revoke-certificates\n`,
    errors: '',
  });
  // The server beside it obeys immediately.
  const next = await (await rest(server.url, 'POST', '/ssh_host_certificates', body)).json();
  expect(next.ssh_certificate_authority_id).toBe(successor);

  expect((await command(database, ['ssh-authority', 'retire', `${old}`])).errors).toBe(
    `Not everything that the certificate authority has signed has ended: 1 host certificate, until ${made.valid_until}. ` +
      'Retire it then. To have them revoked with it, once their hosts have new ones, send `revokeCertificates: true`, on the ' +
      'command line `--revoke-certificates`.\n',
  );
  expect((await command(database, ['ssh-authority', 'retire', `${old}`, '--revoke-certificates'])).out).toBe(
    `${old}  retired  no certificates left  office\n  @cert-authority * ${key}\n  next: remove its line from the clients\n`,
  );
  server.child.kill('SIGTERM');
  await server.ended;
  // The remaining secrets are sealed with the new key; the retired authority's key is gone.
  const rotation = { NEW_SECRET_KEY: renewed.environment.SECRET_KEY };
  const same = { NEW_SECRET_KEY: rotation.NEW_SECRET_KEY, SECRET_KEY: rotation.NEW_SECRET_KEY };
  expect(await command(database, ['secret', 'rotate'], same)).toMatchObject({
    code: 1,
    errors: expect.stringContaining('NEW_SECRET_KEY is the same key as SECRET_KEY: nothing was sealed anew.'),
  });
  // That of the trail's hash chain as well, if a round has begun it.
  expect(await commandJson(database, ['secret', 'rotate'], rotation)).toEqual({ sealed: expect.toBeOneOf([1, 2]) });
  const { checks } = await commandJson(renewed, ['doctor']);
  expect(checks).toContainEqual(expect.objectContaining({ name: 'secret key', level: 'ok' }));
  const target = await testDatabase({ migrated: false });
  expect((await command(renewed, ['copy', '--from', url, '--to', target.url])).code).toBe(0);
  const copy = { environment: { ...renewed.environment, DATABASE_URL: target.url } };
  expect((await commandJson(copy, ['ssh-authority', 'status'])).sshAuthorities).toEqual(
    (await commandJson(renewed, ['ssh-authority', 'status'])).sshAuthorities,
  );
});
