// Runs the programs of docs/signed-identity.md against a token of the gate, and against forged ones.

import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import express from 'express';
import { beforeAll, describe, expect, test } from 'vitest';
import { createIdentityKeys, signIdentity } from '../../src/domain/gate/identity-token.ts';
import { createIdentityKeysRouter } from '../../src/surfaces/gate/identity-keys-router.ts';
import { temporaryDirectory } from '../process/support.ts';
import { read, root } from '../support/source-files.ts';

const blocks = new Map(
  [...read('docs/signed-identity.md').matchAll(/^```(js|py|go)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => [
    name,
    text,
  ]),
);

/** Each language: how its program is run with a token as its argument, and what tells that it can be. */
const languages = [
  {
    name: 'js',
    probe: ['node', '--version'],
    write(directory: string, text: string) {
      mkdirSync(join(directory, 'node_modules'));
      symlinkSync(join(root, 'node_modules/jose'), join(directory, 'node_modules/jose'));
      writeFileSync(join(directory, 'main.mjs'), `${text}\nconsole.log((await identify(process.argv[2])).sub);\n`);
      return ['node', 'main.mjs'];
    },
  },
  {
    name: 'py',
    probe: ['python3', '-c', 'import jwt, cryptography'],
    write(directory: string, text: string) {
      writeFileSync(join(directory, 'main.py'), `${text}\nimport sys\nprint(identify(sys.argv[1])["sub"])\n`);
      return ['python3', 'main.py'];
    },
  },
  {
    name: 'go',
    probe: ['go', 'version'],
    write(directory: string, text: string) {
      const main = `func main() {
	keys, err := fetchKeys()
	if err != nil {
		panic(err)
	}
	identity, err := Identify(os.Args[1], keys)
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(identity.Subject + "\\n")
}`;
      writeFileSync(join(directory, 'main.go'), `${text}\n${main}\n`);
      writeFileSync(join(directory, 'go.mod'), 'module identity\n\ngo 1.20\n');
      const built = spawnSync('go', ['build', '-o', 'main', '.'], { cwd: directory, encoding: 'utf8' });
      expect(built.stderr).toBe('');
      return ['./main'];
    },
  },
] as const;

test('the page has a program in each language', () => {
  expect([...blocks.keys()]).toEqual(languages.map(({ name }) => name));
});

const edgeId = 'edghts_01h455vb4pex5vsknk084sn02q';
const someone = { user: 'amy', email: null, name: null, groups: ['staff'], attributeNames: null, sessionId: 'sess_1' };
let makeToken: () => string;
let env: Record<string, string>;
beforeAll(async () => {
  // The programs check by the real clock.
  const keys = createIdentityKeys((text) => createHash('sha256').update(text).digest());
  const server = createServer(express().use(createIdentityKeysRouter(keys, () => new Date())));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address with a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  makeToken = () => signIdentity(keys, someone, { edgeId, hostport: 'app.example.com:443' }, url, Date.now());
  env = { SALLYPORT: url, EDGE_ID: edgeId, HOST: 'app.example.com' };
  return () => server.close();
});

describe.each(languages)('$name', ({ name, probe: [command, ...args], write }) => {
  const isInstalled = spawnSync(command, args).status === 0;
  if (!isInstalled)
    process.stderr.write(`What the page on signed identities needs for ${name} is not installed: it is not tested.\n`);

  test.runIf(isInstalled)(
    'takes a token of the gate, and none that is forged, of another host or of another edge',
    async () => {
      const directory = temporaryDirectory();
      const [program, ...own] = write(directory, blocks.get(name) ?? '');
      // It is good for a minute, which a compiler may take.
      const token = makeToken();
      const run = async (given: string, other: Record<string, string> = {}) => {
        const options = { cwd: directory, env: { ...process.env, ...env, ...other } };
        return (await promisify(execFile)(program ?? '', [...own, given], options)).stdout.trim();
      };
      expect(await run(token)).toBe('amy');
      const [head, claims, signature = ''] = token.split('.');
      const changed = Buffer.from(claims ?? '', 'base64url')
        .toString()
        .replace('amy', 'admin');
      const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
      const forged = [
        [head, Buffer.from(changed).toString('base64url'), signature].join('.'),
        [none, claims, ''].join('.'),
        [head, claims, Buffer.alloc(64).toString('base64url')].join('.'),
      ];
      for (const each of forged) await expect(run(each)).rejects.toThrow();
      await expect(run(token, { HOST: 'other.example.com' })).rejects.toThrow();
      await expect(run(token, { EDGE_ID: 'edghts_01h455vb4pex5vsknk084sn02r' })).rejects.toThrow();
    },
  );
});
