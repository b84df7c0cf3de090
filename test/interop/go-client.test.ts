// The Go client of the API family, version 8, against a server. Go and the client's source are needed: `GO_CLIENT` names its folder, or
// Go fetches it. It asks for a newer Go than it uses, so its copy asks for none.

import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../support/service.ts';

const run = promisify(execFile);
const client = 'github.com/ngrok/ngrok-api-go/v8';
const folder = mkdtempSync(join(tmpdir(), 'sallyport-go-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the folder with the source of the client; null without Go or without the source. */
async function findSource(): Promise<string | null> {
  try {
    await run('go', ['version']);
    const given = process.env.GO_CLIENT;
    if (given !== undefined) return given;
    const { stdout } = await run('go', ['mod', 'download', '-json', `${client}@v8.0.0`], {
      cwd: folder,
      timeout: 30_000,
    });
    return String(JSON.parse(stdout).Dir);
  } catch {
    return null;
  }
}

const source = await findSource();

const skipped = source === null ? ': SKIPPED, no Go or no source of its client' : '';

test.skipIf(source === null)(
  `the Go client creates, pages through, changes and deletes${skipped}`,
  { timeout: 600_000 },
  async () => {
    cpSync(source ?? '', join(folder, 'client'), { recursive: true });
    writeFileSync(join(folder, 'client', 'go.mod'), `module ${client}\n\ngo 1.19\n`);
    cpSync('test/interop/go-client/main.go', join(folder, 'main.go'));
    const replaced = `require ${client} v8.0.0\nreplace ${client} => ./client\n`;
    writeFileSync(join(folder, 'go.mod'), `module example.com/family\n\ngo 1.19\n\n${replaced}`);
    const service = await startService({ baseUrl: null });
    const environment = {
      ...process.env,
      URL: service.url,
      API_KEY: service.token,
      GOFLAGS: '-mod=mod',
      GOTOOLCHAIN: 'local',
    };
    const { stdout } = await run('go', ['run', '.'], { cwd: folder, env: environment, timeout: 590_000 });
    expect(stdout.trim().split('\n')).toEqual([
      'policy: Offices go',
      'rule: 198.51.100.0/24 allow true',
      'rule: 192.0.2.0/24 allow true',
      'rule: 127.0.0.0/8 allow true',
      'restriction: api true 1',
      'lockout: true',
      'authority: ecdsa',
      'key: true true',
      'gone: true',
    ]);
    await service.close();
  },
);
