// The examples are what their page says: generated from the checked-in descriptions, free of compiler errors, and able to
// run against a real server.

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { onOneEngine } from '../support/one-engine.ts';
import { startService, type TestService } from '../support/service.ts';
import { root } from '../support/source-files.ts';

/** Runs a program in the project root and returns its output. Rejects with everything that it wrote. */
function run(program: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: root, env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}${stderr}`)),
    );
  });
}

let service: TestService;
let settings: Record<string, string>;
beforeAll(async () => {
  service = await startService({ baseUrl: null });
  settings = { URL: service.url, API_KEY: service.token };
  await run('npm', ['run', '--silent', 'generate:examples']);
});
afterAll(() => service.close());

describe('the examples', () => {
  onOneEngine(() => {
    test('fit the descriptions, says the compiler', async () => {
      await run('node', ['node_modules/typescript-native/bin/tsc', '--noEmit', '--project', 'examples']);
    });
  });

  test('for REST lets a range in and warns about all others', async () => {
    const output = await run(
      'node',
      ['--import', 'tsx', 'examples/rest/main.ts', '198.51.100.0/24', 'Berlin'],
      settings,
    );
    expect(output).toBe(
      'allow 198.51.100.0/24 by Berlin\nrestriction of api, warns only\nnewest of the list: this one\n',
    );
  });

  test('for REST shows what the server says is wrong', async () => {
    const wrong = run('node', ['--import', 'tsx', 'examples/rest/main.ts', '198.51.100.7/24'], settings);
    await expect(wrong).rejects.toThrow('INVALID_INPUT: cidr: must start at the lowest address');
  });

  test('for dashboards draws the account with one request', async () => {
    const { token, rest } = await service.otherAccount('branch');
    const policy = (await rest('POST', '/ip_policies', { description: 'Berlin' })).body;
    await rest('POST', '/ip_policy_rules', { ip_policy_id: policy.id, cidr: '192.0.2.0/24', action: 'allow' });
    await rest('POST', '/ip_restrictions', { type: 'agent', ip_policy_ids: [policy.id], enforced: true });
    const output = await run('node', ['--import', 'tsx', 'examples/dashboard/main.ts'], {
      ...settings,
      API_KEY: token,
    });
    expect(output).toBe(`Account branch

IP restrictions: 1
  agent, enforced
    Berlin: allow 192.0.2.0/24

Host certificates that expire within 30 days: 0
`);
  });

  test('for changes tells each once, over a lost connection and a restart', async () => {
    const { token, rest, url } = await service.asNewAccount();
    const sockets = new Set<Socket>();
    const proxy = createServer((socket) => {
      sockets.add(socket);
      const server = connect(Number(new URL(url).port), '127.0.0.1');
      for (const [from, to] of [
        [socket, server],
        [server, socket],
      ] as const) {
        from.pipe(to).on('error', () => {});
        from.on('close', () => to.destroy());
      }
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const directory = mkdtempSync(join(tmpdir(), 'sallyport-example-'));
    onTestFinished(() => {
      proxy.close();
      rmSync(directory, { recursive: true });
    });
    const { audit_events: events } = (await rest('GET', '/audit_events?limit=1')).body;
    const file = join(directory, 'place.txt');
    // The address of a TCP server has a port.
    const { port } = proxy.address() as AddressInfo;
    const follow = (count: number) =>
      run('node', ['--import', 'tsx', 'examples/changes/main.ts', String(count), file], {
        URL: `http://127.0.0.1:${port}`,
        API_KEY: token,
      });
    const create = async (description: string) => (await rest('POST', '/ip_policies', { description })).body.id;
    const first = follow(2);
    // The example stores its place before there is a change.
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'), { timeout: 30_000 }).toBe(events[0].id);
    const berlin = await create('Berlin');
    await expect.poll(() => readFileSync(file, 'utf8'), { timeout: 30_000 }).not.toBe(events[0].id);
    for (const socket of sockets) socket.destroy();
    const paris = await create('Paris');
    expect(await first).toMatch(
      new RegExp(`^create IpPolicy ${berlin} by key of .*description.*\ncreate IpPolicy ${paris} by .*\n$`),
    );
    const rome = await create('Rome');
    expect(await follow(1)).toMatch(new RegExp(`^create IpPolicy ${rome} by .*\n$`));
    writeFileSync(file, 'evt_00000000000000000000000000');
    await expect(follow(1)).rejects.toThrow('EVENT_GONE: There is no such event');
  });

  test('for curl go through the whole tour', async () => {
    const output = await run('bash', ['examples/tour.sh'], settings);
    expect(output).toContain('"description":"Office in Berlin"');
    expect(output).toMatch(/^ssh-ed25519-cert-v01@openssh\.com \S+ shcrt_\w+$/m);
    expect(output).toMatch(/And away with it:\s*$/);
  });

  test('say what to set when there is no key', async () => {
    for (const args of [
      ['bash', 'examples/tour.sh'],
      ['node', '--import', 'tsx', 'examples/rest/main.ts'],
    ]) {
      const [program = '', ...rest] = args;
      await expect(run(program, rest, { API_KEY: '' })).rejects.toThrow(
        'key that the first start of the server printed',
      );
    }
  });
});
