// Runs the GraphQL documents, the call and the command of docs/audit-trail.md.

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { chainEvents } from '../../../src/areas/audit-events/chain/chaining-store.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { execute, openClient } from '../../support/database.ts';
import { keyDirectory } from '../../support/openssh.ts';
import { capturePrinted } from '../../support/printed.ts';
import {
  createClient,
  ofOneServer,
  repeatableBytes,
  startService,
  startTime,
  type TestService,
} from '../../support/service.ts';
import { read } from '../../support/source-files.ts';

const blocks = [...read('docs/audit-trail.md').matchAll(/^```(\w*)\n(.*?)^```/gms)].map(([, language, text = '']) => ({
  language,
  text,
}));

let service: TestService;
let policy: string;
beforeAll(async () => {
  // Events of several servers are ordered by the servers' clocks, which stand still here.
  service = ofOneServer(await startService());
  policy = (await service.rest('POST', '/ip_policies', { description: 'office' })).body.id;
  await service.rest('PATCH', `/ip_policies/${policy}`, { description: 'offices' });
});

test('the documents show what happened', async () => {
  const documents = blocks.filter(({ language }) => language === 'graphql');
  expect(documents).toHaveLength(4);
  const [list, history] = await Promise.all(
    documents.slice(0, 2).map(({ text }) => service.graphql(text, { id: policy })),
  );
  expect(list?.data.auditEvents.nodes).toContainEqual({
    createdAt: '2026-11-20T21:00:00Z',
    action: 'update',
    kind: 'IpPolicy',
    objectId: policy,
    actor: { type: 'api_key', description: 'key of default' },
    changes: [{ field: 'description', before: 'office', after: 'offices' }],
  });
  expect(history?.data.ipPolicy.history.nodes.map(({ version, state }: never) => [version, state])).toMatchObject([
    [2, { description: 'offices' }],
    [1, { description: 'office' }],
  ]);
});

test('the call lists the latest events', async () => {
  const call = blocks.find(({ text }) => text.startsWith('curl ') && text.includes('audit_events'))?.text ?? '';
  const env = { ...process.env, URL: service.url, API_KEY: service.token };
  const { stdout } = await promisify(execFile)('bash', ['-c', call], { env });
  expect(JSON.parse(stdout).audit_events).toHaveLength(4);
});

/** Runs a command as on the server's machine and returns its output. */
async function run({ database }: TestService, ...args: string[]): Promise<string> {
  vi.stubEnv('DATABASE_URL', database.url);
  // The test runner sets a variable of that name.
  vi.stubEnv('BASE_URL', '');
  vi.stubEnv('SECRET_KEY', Buffer.from(repeatableBytes('secret key')(32)).toString('base64'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const written = capturePrinted();
  await createProgram().parseAsync(args, { from: 'user' });
  return written.join('');
}

/** Runs the page's export command with the given options and returns the parsed lines. */
async function runExport(...options: string[]): Promise<unknown[]> {
  return (await run(service, 'audit', 'export', ...options))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

test('the command writes the events of its time as JSON lines, oldest first', async () => {
  const command = blocks.find(({ text }) => text.startsWith('sallyport audit export'))?.text ?? '';
  const [, options = ''] = /^sallyport audit export (.*) > /.exec(command) ?? [];
  const lines = await runExport(...options.split(' '));
  expect(lines.map((event) => Object(event).kind)).toEqual(['Account', 'ApiKey', 'IpPolicy', 'IpPolicy']);
  const client = await openClient(service.database);
  const [event] = await client.auditEvent.findMany({ where: { objectId: policy, version: 2 } });
  expect(lines.at(-1)).toEqual({
    id: event?.id,
    createdAt: '2026-11-20T21:00:00Z',
    action: 'update',
    kind: 'IpPolicy',
    objectId: policy,
    version: 2,
    actor: { type: 'api_key', id: event?.actor, apiKeyId: event?.actor, description: 'key of default' },
    surface: 'rest',
    requestId: event?.requestId,
    clientAddress: '127.0.0.1',
    changes: [{ field: 'description', before: 'office', after: 'offices', shortened: false }],
    refusal: null,
    state: { description: 'offices', metadata: '', createdAt: '2026-11-20T21:00:00.500Z' },
  });
  expect(await runExport('--to', '2026-11-20T21:00:00Z')).toEqual([]);
});

test('the command writes more than it reads at once, each event once', async () => {
  for (let made = 0; made < 60; made += 1)
    await service.rest('PATCH', `/ip_policies/${policy}`, { description: `${made}` });
  const lines = (await runExport()).map((event) => Object(event).changes?.at(0)?.after);
  expect(lines.slice(-60)).toEqual(Array.from({ length: 60 }, (_, made) => `${made}`));
  expect(lines).toHaveLength(64);
});

test('the mutation and the command put a deleted policy back with its rules', async () => {
  const id = (await service.rest('POST', '/ip_policies', { description: 'gone' })).body.id;
  await service.rest('POST', '/ip_policy_rules', { ip_policy_id: id, cidr: '10.0.0.0/8', action: 'allow' });
  const deleteIt = async () => {
    await service.rest('DELETE', `/ip_policies/${id}`);
    const client = await openClient(service.database);
    const where = { objectId: id, action: 'delete' };
    return (await client.auditEvent.findFirstOrThrow({ where, orderBy: { version: 'desc' } })).id;
  };
  const mutation = blocks.find(({ text }) => text.startsWith('mutation'))?.text ?? '';
  expect((await service.graphql(mutation, { eventId: await deleteIt() })).data.restoreObject).toEqual({
    object: { id, description: 'gone', version: 3, rules: { nodes: [{ cidr: '10.0.0.0/8', action: 'allow' }] } },
    event: { action: 'create', version: 3 },
  });
  const command = blocks.find(({ text }) => text.startsWith('sallyport audit restore'))?.text ?? '';
  const args = command.trim().split(' ').slice(1, -1);
  const output = await run(service, ...args, await deleteIt());
  expect(output).toBe('The IpPolicy "gone" is what it was, and has version 5.\n');
  const again = await run(service, ...args, await deleteIt(), '--json');
  expect(JSON.parse(again)).toEqual({ restored: { kind: 'IpPolicy', id, version: 7 } });
  expect((await service.rest('GET', '/ip_policy_rules')).body.ip_policy_rules).toHaveLength(1);
});

test('checkpoints and an export are verified by the commands, and what was changed is named', async () => {
  const own = ofOneServer(await startService());
  onTestFinished(() => own.close());
  await own.rest('POST', '/ip_policies', { description: 'office' });
  const { server } = own.storage;
  const never = new AbortController().signal;
  // The second time, the checkpoint is due. Other tests can hold up what is settled on PostgreSQL.
  let hours = 0;
  await vi.waitFor(
    async () => {
      hours += 1;
      await chainEvents(server, new Date(startTime.getTime() + hours * 3_600_000), never);
      expect((await own.rest('GET', '/audit_checkpoints')).body.audit_checkpoints[0]?.size).toBe(3);
    },
    { timeout: 60_000, interval: 50 },
  );
  const directory = keyDirectory();
  const env = { ...process.env, URL: own.url, API_KEY: own.token };
  const call = blocks.find(({ text }) => text.includes('checkpoints.json\n') && text.startsWith('curl'))?.text ?? '';
  await promisify(execFile)('bash', ['-c', call], { env, cwd: directory });
  const at = (name: string) => join(directory, name);
  const runOwn = (...args: string[]) => run(own, ...args);
  const commands = blocks
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => /^sallyport audit .*(verif)/.test(line));
  expect(commands).toEqual([
    'sallyport audit verify --checkpoint checkpoints.json',
    'sallyport audit export --verifiable > trail.jsonl',
    'sallyport audit verify trail.jsonl --checkpoint checkpoints.json',
  ]);
  const kept = ['--checkpoint', at('checkpoints.json')];
  const [{ head, public_key: publicKey }] = JSON.parse(readFileSync(at('checkpoints.json'), 'utf8')).audit_checkpoints;
  const verified = `3 events are as they were chained, up to 1 checkpoint.\nhead ${head}\n`;
  const believed =
    'The public key is the one that came with the trail. Give the one that you have kept (--public-key).\n';
  expect(await runOwn('audit', 'verify', ...kept)).toBe(verified + believed);
  writeFileSync(at('key.pem'), publicKey);
  writeFileSync(at('trail.jsonl'), await runOwn('audit', 'export', '--verifiable'));
  const verify = () => runOwn('audit', 'verify', at('trail.jsonl'), ...kept, '--public-key', at('key.pem'));
  // Commands that other tests have run in this process may have left one.
  process.exitCode = undefined;
  expect(await verify()).toBe(verified);
  expect(process.exitCode).toBe(undefined);
  const lines = readFileSync(at('trail.jsonl'), 'utf8').split('\n');
  const tampered = async (change: (line: string, index: number) => string[]) => {
    writeFileSync(at('trail.jsonl'), lines.flatMap(change).join('\n'));
    const said = await verify();
    const { exitCode } = process;
    process.exitCode = undefined;
    return [exitCode, said.trim()];
  };
  const id = /evt_\w+/.exec(lines[4] ?? '')?.[0];
  expect(await tampered((line) => [line.replace('office', 'offiec')])).toEqual([1, `The event ${id} was changed.`]);
  expect(await tampered((line, index) => (index === 4 ? [] : [line]))).toEqual([1, `The event ${id} was removed.`]);
  expect(await tampered((line, index) => (index === 4 ? [line, line] : [line]))).toEqual([
    1,
    `The event ${id} was moved.`,
  ]);
  expect(await tampered((line, index) => (index > 4 ? [] : [line]))).toEqual([
    1,
    `${at('trail.jsonl')} is incomplete: its end is missing.`,
  ]);
  await execute(own.database, `UPDATE "AuditEvent" SET "actor" = 'cli' WHERE "id" = '${id}'`);
  expect(JSON.parse(await runOwn('audit', 'verify', '--json'))).toEqual({
    ok: false,
    fault: { kind: 'changed', eventId: id, message: `The event ${id} was changed.` },
    verified: null,
  });
  process.exitCode = undefined;
});

test('the document about refusals shows one', async () => {
  const key = (await service.rest('POST', '/api_keys', { scopes: ['ssh:read'], description: 'ssh' })).body;
  const answer = await createClient(service.url, key.token).rest('POST', '/ip_policies', {});
  await service.storage.refusals.settled();
  const document = blocks.find(({ text }) => text.includes('refusal {'))?.text ?? '';
  expect((await service.graphql(document)).data.auditEvents.nodes).toEqual([
    {
      createdAt: '2026-11-20T21:00:00Z',
      requestId: answer.headers.get('x-request-id'),
      clientAddress: '127.0.0.1',
      actor: { apiKeyId: key.id, description: 'ssh' },
      refusal: { code: 'FORBIDDEN', asked: 'POST /ip_policies', reason: null, leftOut: 0 },
    },
  ]);
});
