// `npm start` builds what has changed, and nothing else.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/source-files.ts';
import { endOf, newPath, run, temporaryDirectory, until } from './support.ts';

/** A small program with the build of this one. */
function project() {
  const directory = temporaryDirectory();
  const files = [
    'build.js',
    'package.json',
    'package-lock.json',
    'prisma.config.ts',
    'tsconfig.json',
    'tsconfig.build.json',
    'prisma/generate.js',
    'src/storage/models.ts',
  ];
  for (const name of ['src/storage', 'prisma']) mkdirSync(join(directory, name), { recursive: true });
  for (const file of files) cpSync(join(root, file), join(directory, file));
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  const write = (path: string, text: string) => writeFileSync(join(directory, path), text);
  write('prisma/schema.prisma', schemaWith('id String @id'));
  write('src/main.ts', "export const text: string = 'one';\n");
  write('src/extra.ts', 'export const extra: number = 1;\n');
  const at = (path: string) => join(directory, path);
  return {
    at,
    write,
    built: (path: string) => readFileSync(at(`dist/${path}`), 'utf8'),
    build: () => endOf(run(process.execPath, [at('build.js')])),
    stamp: () => statSync(at('dist/.built'), { bigint: true }).mtimeNs,
  };
}

const schemaWith = (field: string) => `
generator client {
  provider            = "prisma-client"
  output              = "../src/storage/generated/client"
  moduleFormat        = "esm"
  importFileExtension = "ts"
}
datasource db {
  provider = "sqlite"
}
model Thing {
  ${field}
}
`;

test('a build follows changed, new and deleted sources, changed models and lost files, and otherwise does nothing', async () => {
  const { at, write, built, build, stamp } = project();
  const done = { code: 0, out: '', errors: '' };
  expect(await build()).toEqual(done);
  expect(built('main.js')).toContain("'one'");
  const first = stamp();
  expect(await build()).toEqual(done);
  expect(stamp()).toBe(first);
  write('dist/.built', '');
  expect(await build()).toEqual(done);

  write('src/main.ts', "export const text: number = 'two';\n");
  const failed = await build();
  expect(failed.code).toBe(1);
  expect(failed.errors).toContain("src/main.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'.");

  write('src/main.ts', "export const text: string = 'two';\n");
  write('src/new.ts', 'export const added = true;\n');
  rmSync(at('src/extra.ts'));
  rmSync(at('dist/storage/generated/client/client.js'));
  write('prisma/schema.prisma', schemaWith('id Int @id\n  name String'));
  expect(await build()).toEqual(done);
  expect(built('main.js')).toContain("'two'");
  expect(existsSync(at('dist/new.js'))).toBe(true);
  expect(existsSync(at('dist/extra.js'))).toBe(false);
  expect(built('storage/generated/client/internal/class.js')).toContain('name String');
  expect(existsSync(at('dist/storage/generated/client/client.js'))).toBe(true);

  // Without the development tools only a change is refused.
  rmSync(at('node_modules'));
  expect(await build()).toEqual(done);
  write('src/main.ts', "export const text: string = 'three';\n");
  const refused = await build();
  expect(refused.code).toBe(1);
  expect(refused.errors).toMatch(/typescript.* is missing, .* Run "npm ci" first\.\n$/);
});

test('npm start and npm run cli leave a build of unchanged sources alone', async () => {
  execFileSync(process.execPath, [join(root, 'build.js')]);
  const times = () =>
    ['.built', '.tsbuildinfo', 'main.js'].map((name) => statSync(join(root, 'dist', name), { bigint: true }).mtimeNs);
  const before = times();
  const environment = { PORT: '0', DATABASE_URL: `file:${newPath()}` };
  const server = run('npm', ['start', '--prefix', root], environment);
  const ready = () => /"pid":(\d+),.*"msg":"ready"/.exec(server.printed.errors);
  await until(() => ready() !== null || server.child.exitCode !== null);
  // The server itself: npm does not pass the signal on.
  process.kill(Number(ready()?.[1]), 'SIGTERM');
  expect((await endOf(server)).out).toContain('Sallyport is listening on ');
  expect((await endOf(run('npm', ['run', 'cli', '--prefix', root, '--', 'key', 'list'], environment))).code).toBe(0);
  expect(times()).toEqual(before);
});
