// The commands of configuration as code, at the database and at a server: what they print, where a document is wrong, and exit codes.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { command, commandJson } from './one-process.ts';
import { apiKey, cli, emptyFile, readyServer, rest, temporaryDirectory } from './support.ts';

function documents() {
  const directory = temporaryDirectory();
  return (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
}

test('a document is planned, applied, imported and exported at a server with a key, and at its database', async () => {
  const write = documents();
  const file = write(
    'sallyport.yaml',
    'ipPolicies:\n  office:\n    description: { file: name.txt }\n    metadata: { env: OWNER }\n',
  );
  write('name.txt', 'the office');
  const server = await readyServer(emptyFile());
  onTestFinished(() => void server.child.kill('SIGTERM'));
  const there = ['--server', server.url];
  const environment = { SALLYPORT_API_KEY: apiKey, OWNER: 'network' };
  const planned = await cli(server.database, ['plan', '-f', file, ...there], environment);
  expect({ ...planned, out: planned.out.replace(/Plan \S+/, 'Plan ...') }).toEqual({
    code: 2,
    out:
      '+ create IpPolicy office\n    description: null -> "the office"\n    metadata: null -> "network"\n' +
      '1 changes, as 1 requests would make. Plan ...\n',
    errors: '',
  });
  const digest = /Plan (\S+)/.exec(planned.out)?.[1] ?? '';
  expect((await command(server.database, ['apply', '-f', file, '--plan', digest, ...there], environment)).code).toBe(2);
  expect(await command(server.database, ['apply', '-f', file, ...there], environment)).toEqual({
    code: 0,
    out: 'Nothing to do: the account is what the document describes.\n',
    errors: '',
  });
  const outdated = await command(server.database, ['apply', '-f', file, '--plan', digest, ...there], environment);
  expect([outdated.code, outdated.out]).toEqual([1, '']);
  expect(outdated.errors).toContain('The account has changed since the plan was made');
  const unknown = await command(server.database, ['plan', '-f', file, ...there], {
    ...environment,
    SALLYPORT_API_KEY: 'x',
  });
  expect([unknown.code, unknown.out]).toEqual([1, '']);
  const shown = await command(server.database, ['export', 'configuration', ...there], environment);
  expect(shown.out).toContain(`# yaml-language-server: $schema=${server.url}/schema.json\n`);
  expect((await rest(server.url, 'POST', '/ip_policies', { description: 'guests' })).status).toBe(201);
  const guests = write('guests.yaml', 'document: guests\nipPolicies:\n  guests: { description: our guests }\n');
  const imported = await command(server.database, ['import', '-f', guests, ...there], environment);
  const differs =
    '\nWhat applying the document would change:\n~ update IpPolicy guests\n    description: "guests" -> "our guests"\n' +
    '1 changes, as 1 requests would make. Plan ...\n';
  const withoutIds = (text: string) => text.replace(/Plan \S+/, 'Plan ...').replace(/undo op_\S+/, 'undo op_...');
  expect({ ...imported, out: withoutIds(imported.out) }).toEqual({
    code: 2,
    out: `= import IpPolicy guests\nTo let them belong to no document again: sallyport undo op_... --server ${server.url}\n${differs}`,
    errors: '',
  });
  server.child.kill('SIGTERM');
  await server.ended;
  const again = await command(server.database, ['import', '-f', guests]);
  expect({ ...again, out: withoutIds(again.out) }).toEqual({
    code: 0,
    out: `Nothing to import.\n${differs}`,
    errors: '',
  });
  const out = join(temporaryDirectory(), 'exported.yaml');
  expect((await command(server.database, ['export', 'configuration', '--out', out])).code).toBe(0);
  expect(readFileSync(out, 'utf8')).toMatch(
    /^# .*\n(#.*\n)*\nipPolicies:\n {2}guests:\n {4}description: guests\n {2}office:\n {4}description: the office\n {4}metadata: network\n$/,
  );
  // What belongs to another document would be an object of its own.
  const planAfter = await command(server.database, ['plan', '-f', out]);
  expect(planAfter.out).toMatch(/^\+ create IpPolicy guests\n.*\n1 changes, /);
});

test('commands that would break an expectation are refused, unless they are forced', async () => {
  const write = documents();
  const database = emptyFile();
  expect((await command(database, ['account', 'create', 'default'])).code).toBe(0);
  const guarded = (description: string, action: string) =>
    write(
      'sallyport.yaml',
      `ipPolicies:
  office:
    description: ${description}
    rules: [{ cidr: 203.0.113.0/24, action: ${action} }]
ipRestrictions:
  web: { type: endpoints, enforced: true, ipPolicyIds: [office] }
sshCertificateAuthorities:
  fleet: {}
expectations:
  office: { name: The office comes in, kind: ip, expected: allowed, address: 203.0.113.7, trafficType: endpoints }
  root: { name: Nobody enrolls as root, kind: enrollment, expected: refused, hostName: root }
`,
    );
  expect(await command(database, ['apply', '-f', guarded('open', 'allow')])).toMatchObject({ code: 2, errors: '' });
  const { sshAuthorities } = await commandJson(database, ['ssh-authority', 'list']);
  const meant =
    'Nothing was changed. If it is meant, repeat the change with force: true, on REST with the header Sallyport-Force: true, or on the ' +
    'command line with --force.\n';
  const breaking: readonly [args: string[], code: number, error: string][] = [
    [
      ['apply', '-f', guarded('closed', 'deny')],
      2,
      '"The office comes in": 203.0.113.7 at endpoints would be refused instead of allowed',
    ],
    [
      ['ssh-enrollment-token', 'create', '--authority', sshAuthorities[0].id, '--principal', '*'],
      0,
      '"Nobody enrolls as root": an enrollment of root would be allowed instead of refused',
    ],
  ];
  for (const [args, code, error] of breaking) {
    const errors = `The change would break the expectation ${error}. ${meant}`;
    expect(await command(database, args)).toEqual({ code: 1, out: '', errors });
    expect(await command(database, [...args, '--force'])).toMatchObject({ code, errors: '' });
  }
  const [planned] = (await commandJson(database, ['plan', '-f', guarded('closed', 'deny')])).changes;
  expect(planned).toBeUndefined();
});

test('what is wrong with a document is said with its line and column, and changes nothing', async () => {
  const write = documents();
  const database = emptyFile();
  expect((await command(database, ['account', 'create', 'default'])).code).toBe(0);
  const bad: readonly [string, string][] = [
    ['ipPolicies:\n  office: [', '2:12: '],
    ['ipPolicies:\n  office:\n    descripton: x\n', '3:17: ipPolicies.office.descripton is unknown'],
    [
      'ipPolicies:\n  office.berlin:\n    rules:\n      - cidr: 300.0.0.0/8\n        action: allow\n',
      '4:15: ipPolicies.office.berlin.rules[0].cidr ',
    ],
    ['ipPolicies:\n  office: {}\n  office: {}\n', '3:3: '],
    ['ipPolicies:\n  office:\n    description: !!js/function x\n', '3:18: '],
    [
      'ipPolicies:\n  office:\n    description: { env: NOT_SET }\n',
      '3:18: ipPolicies.office.description the variable NOT_SET is not set',
    ],
    [
      'ipPolicies:\n  office:\n    description: { file: none.txt }\n',
      '3:18: ipPolicies.office.description cannot be read',
    ],
    [
      'signInProviders:\n  sso:\n    name: SSO\n    saml:\n      idpMetadata: { file: none.xml }\n',
      '5:20: signInProviders.sso.saml.idpMetadata cannot be read',
    ],
    [
      'ipRestrictions:\n  web:\n    type: endpoints\n    ipPolicyIds: [office]\n',
      '4:19: ipRestrictions.web.ipPolicyIds[0] There is no',
    ],
    [
      'signInProviders:\n  sso: { name: SSO, issuer: "https://127.0.0.1:1", clientId: x, clientSecret: y }\n',
      '2:29: signInProviders.sso.issuer cannot be used, so nothing was changed: ',
    ],
    ['- ipPolicies\n', 'must be an object'],
  ];
  for (const [index, [text, expected]] of bad.entries()) {
    const { code, out, errors } = await command(database, ['apply', '-f', write(`${index}.yaml`, text)]);
    expect([text, code, out]).toEqual([text, 1, '']);
    expect(errors).toContain(expected);
  }
});
