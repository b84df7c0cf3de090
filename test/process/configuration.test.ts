// The commands of configuration as code, at the database and at a server: what they print, where a document is wrong, and exit codes.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { command } from './one-process.ts';
import { apiKey, cli, emptyFile, readyServer, temporaryDirectory } from './support.ts';

/** What commands print that take longer than seconds, as they do on a busy machine. */
const progress = expect.stringMatching(/^(\w+, \d+ seconds so far\n)*$/);

function documents() {
  const directory = temporaryDirectory();
  return (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
}

test('a document is planned, applied and exported at a server with a key, and at its database', async () => {
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
    errors: progress,
  });
  const digest = /Plan (\S+)/.exec(planned.out)?.[1] ?? '';
  expect((await command(server.database, ['apply', '-f', file, '--plan', digest, ...there], environment)).code).toBe(2);
  expect(await command(server.database, ['apply', '-f', file, ...there], environment)).toEqual({
    code: 0,
    out: 'Nothing to do: the account is what the document describes.\n',
    errors: progress,
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
  server.child.kill('SIGTERM');
  await server.ended;
  const out = join(temporaryDirectory(), 'exported.yaml');
  expect((await command(server.database, ['export', 'configuration', '--out', out])).code).toBe(0);
  expect(readFileSync(out, 'utf8')).toMatch(
    /^# .*\n(#.*\n)*\nipPolicies:\n {2}office:\n {4}description: the office\n {4}metadata: network\n$/,
  );
  expect((await command(server.database, ['plan', '-f', out])).code).toBe(0);
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
      'ipRestrictions:\n  web:\n    type: endpoints\n    ipPolicyIds: [office]\n',
      '4:19: ipRestrictions.web.ipPolicyIds[0] There is no',
    ],
    ['- ipPolicies\n', 'must be an object'],
  ];
  for (const [index, [text, expected]] of bad.entries()) {
    const { code, out, errors } = await command(database, ['apply', '-f', write(`${index}.yaml`, text)]);
    expect([text, code, out]).toEqual([text, 1, '']);
    expect(errors).toContain(expected);
  }
});
