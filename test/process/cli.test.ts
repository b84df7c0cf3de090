// The command line, beside a running server.

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { command, commandJson } from './one-process.ts';
import { apiKey, cli, endOf, programFile, readyServer, rest, run, until, usedDatabase } from './support.ts';

test('makes accounts and keys beside the running server, which takes them at once and drops them within 6 seconds', async () => {
  const database = await testDatabase();
  const server = await readyServer(database);
  const status = async (token: string) => (await rest(server.url, 'GET', '/ip_policies', undefined, token)).status;

  const account = await cli(database, ['account', 'create', 'second']);
  expect(account).toEqual({ code: 0, out: expect.stringMatching(/^acct_\w{26} {2}second\n$/), errors: '' });
  const id = account.out.split(' ')[0] ?? '';
  const accounts = await command(database, ['account', 'list']);
  expect(accounts.out.replace(/acct_\w{26}/g, 'ID').replace(/\d\d\d\d-\S+Z/g, 'TIME')).toBe(
    'ID  TIME  default\nID  TIME  second\n',
  );

  const byName = await command(database, ['key', 'create', '--account', 'second', '--description', 'from the shell']);
  const byId = await command(database, ['key', 'create', '--account', id]);
  const forDefault = await command(database, ['key', 'create']);
  const [keyId = '', token = ''] = byName.out.split('\n');
  expect(byName).toEqual({ code: 0, out: `${keyId}\n${token}\n`, errors: '' });
  for (const { out } of [byName, byId, forDefault]) expect(await status(out.split('\n')[1] ?? '')).toBe(200);

  expect((await rest(server.url, 'POST', '/ip_policies', { description: 'of the second' }, token)).status).toBe(201);
  const of = async (key: string) =>
    (await (await rest(server.url, 'GET', '/ip_policies', undefined, key)).json()) as object;
  expect(await of(token)).toMatchObject({ ip_policies: [{ description: 'of the second' }] });
  expect(await of(apiKey)).toMatchObject({ ip_policies: [] });

  const listed = await command(database, ['key', 'list', '--account', 'second']);
  expect(listed.out).toContain(`${keyId}  `);
  expect(listed.out).toContain('never used  write  never expires  from the shell\n');
  expect(listed.out).not.toContain(token);

  const revoked = await cli(database, ['key', 'revoke', keyId, '--account', 'second']);
  expect(revoked).toEqual({ code: 0, out: `${keyId} is revoked.\n`, errors: '' });
  const begun = Date.now();
  await until(async () => (await status(token)) === 401);
  expect(Date.now() - begun).toBeLessThan(6_000);
  expect(await status(byId.out.split('\n')[1] ?? '')).toBe(200);

  // The last use of a key is stored when the server stops.
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  const used = await command(database, ['key', 'list', '--account', 'second']);
  expect(used.out).toMatch(/^ak_\w{26} {2}\S+Z {2}last used \S+Z {2}write {2}never expires {2}\n$/);
});

test('opens the door again to operators who have shut themselves out, beside the running server', async () => {
  const database = await testDatabase();
  const server = await readyServer(database);
  const status = async () => (await rest(server.url, 'GET', '/ip_policies')).status;
  const post = async (collection: string, body: object, headers = {}) => {
    const answer = await fetch(`${server.url}${collection}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Service-Version': '2',
        'Content-Type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
    // Everything that the test sends is answered with an object.
    return { status: answer.status, body: (await answer.json()) as { id: string } };
  };
  const policy = (await post('/ip_policies', {})).body.id;
  const restriction = { type: 'api', enforced: true, ip_policy_ids: [policy], description: 'offices only' };
  expect((await post('/ip_restrictions', restriction)).status).toBe(409);
  const { id } = (await post('/ip_restrictions', restriction, { 'Sallyport-Force': 'true' })).body;
  expect(await status()).toBe(403);

  const [{ id: account }] = (await commandJson(database, ['account', 'list'])).accounts;
  expect(await command(database, ['restrictions', 'suspend', '--type', 'endpoints'])).toEqual({
    code: 1,
    out: '',
    errors:
      'No IP restriction of type endpoints is enforced in the account default: nothing was changed. Others are: ' +
      `"sallyport restrictions suspend --account ${account} --type api".\n`,
  });
  expect(await status()).toBe(403);
  expect(await cli(database, ['restrictions', 'suspend'])).toEqual({
    code: 0,
    out:
      `The IP restriction "offices only", of type api, is not enforced any more.\n` +
      'To enforce one again, set its "enforced" to true over the API.\n',
    errors: '',
  });
  await pause(1_000);
  const opened = await rest(server.url, 'GET', `/ip_restrictions/${id}`);
  expect([opened.status, opened.headers.get('Sallyport-Would-Refuse')]).toEqual([200, id]);
  expect(await opened.json()).toMatchObject({ enforced: false, description: 'offices only' });
  // What the dashboard recommends to whom it is about to lock out.
  const signIn = async () =>
    (
      await fetch(`${server.url}/dashboard/session`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Sallyport-Dashboard': '1' },
        body: JSON.stringify({ token: apiKey }),
      })
    ).status;
  await post('/ip_restrictions', { ...restriction, type: 'dashboard' }, { 'Sallyport-Force': 'true' });
  const before = await signIn();
  expect((await cli(database, ['restrictions', 'suspend', '--account', 'default'])).out).toContain(
    'of type dashboard, is not enforced any more.',
  );
  await pause(1_000);
  expect([before, await signIn()]).toEqual([403, 201]);
  expect((await cli(database, ['restrictions', 'suspend'])).code).toBe(1);
  expect((await cli(database, ['restrictions', 'suspend', '--type', 'all'])).code).toBe(1);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
});

test('says what is wrong in one line, and does nothing', async () => {
  const database = await testDatabase();
  expect((await command(database, ['account', 'create', 'one'])).code).toBe(0);
  const [duplicate, empty, unknown, noKey, noCommand] = await Promise.all([
    command(database, ['account', 'create', 'one']),
    command(database, ['account', 'create', ' ']),
    command(database, ['key', 'create', '--account', 'nobody']),
    command(database, ['key', 'revoke', 'ak_00000000000000000000000000', '--account', 'one']),
    cli(database, ['key', 'destroy']),
  ]);
  expect(duplicate).toEqual({ code: 1, out: '', errors: 'name must be unique; there is already an account "one".\n' });
  expect(empty).toEqual({ code: 1, out: '', errors: 'name must not be empty.\n' });
  expect(unknown).toEqual({
    code: 1,
    out: '',
    errors: 'There is no account "nobody". "sallyport account list" shows all accounts.\n',
  });
  expect(noKey).toEqual({
    code: 1,
    out: '',
    errors: expect.stringMatching(
      /^There is no API key ak_0{26} in the account\. "sallyport key list --account acct_\w+" shows its keys\.\n$/,
    ),
  });
  expect(noCommand.code).toBe(1);
  expect(noCommand.errors).toContain("unknown command 'destroy'");
  expect((await command(database, ['account', 'list'])).out.split('\n')).toHaveLength(2);
});

test('an output that takes nothing more is said in one line, with what takes a lost secret back, and never with a stack', async () => {
  const database = await usedDatabase();
  const shell = (script: string) => {
    const program = [process.execPath, programFile('dist/cli.js')];
    return endOf(run('bash', ['-c', script, 'bash', ...program], database.environment));
  };
  const full = 'The result could not be written to standard output: ENOSPC: no space left on device, write.';

  const lost = await shell('"$@" key create --description lost > /dev/full');
  const [key] = (await commandJson(database, ['key', 'list'])).keys.filter(
    ({ description }: { description: string }) => description === 'lost',
  );
  const takeBack = `sallyport key revoke ${key.id} --account ${key.accountId}`;
  expect(lost).toEqual({
    code: 1,
    out: '',
    errors: `${full} The API key ${key.id} was made, and its secret is lost. Take it back: ${takeBack}\n`,
  });

  const [{ id: authority }] = (await commandJson(database, ['ssh-authority', 'list'])).sshAuthorities;
  const enrollment = await shell(
    `"$@" ssh-enrollment-token create --authority ${authority} --principal a.example.com --json > /dev/full`,
  );
  expect(enrollment.errors).toMatch(
    /Take it back: sallyport ssh-enrollment-token delete sshenr_\w+ --account acct_\w+"}\n$/,
  );

  expect(await shell('"$@" audit export > /dev/full')).toEqual({ code: 1, out: '', errors: `${full}\n` });
  // As a shell reports a program that SIGPIPE has ended.
  const piped = 'echo "$PIPESTATUS"';
  expect(await shell(`"$@" audit export | head -c 1 > /dev/null; ${piped}`)).toMatchObject({ errors: '' });
  expect(await shell(`"$@" key list | true; ${piped}`)).toEqual({ code: 0, out: '141\n', errors: '' });
  expect(await shell(`"$@" --help | true; ${piped}`)).toEqual({ code: 0, out: '141\n', errors: '' });
  expect((await shell(`"$@" key create | true; ${piped}`)).errors).toContain('its secret is lost. Take it back: ');
});

test('stored text cannot command the terminal, hide a line or forge one', async () => {
  const database = await usedDatabase();
  const text = 'a\u001b[2K\r\u009b2J\u202eb\nak_1  never used';
  const shown = 'a\\u001b[2K\\r\\u009b2J\\u202eb\\nak_1  never used';
  await command(database, ['key', 'create', '--description', text]);
  expect((await command(database, ['key', 'list'])).out.split('\n').slice(1)).toEqual([
    expect.stringContaining(`  never expires  ${shown}`),
    '',
  ]);
  const { out } = await command(database, ['key', 'list', '--json']);
  expect(out).toMatch(/^[ -~]*\n$/);
  expect(JSON.parse(out).keys[1].description).toBe(text);
  expect((await command(database, ['audit', 'export'])).out).toMatch(/^[ -~\n]*$/);
  expect((await command(database, ['key', 'list', '--account', text])).errors).toContain(`"${shown}"`);
  expect((await cli(database, ['key', text])).errors).toContain('\\u001b[2K');
});
