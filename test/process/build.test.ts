// `npm start` builds what has changed, and nothing else.

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { printSchema } from 'graphql';
import { expect, inject, test } from 'vitest';
import { bundle, programs } from '../../bundle.js';
import { schema } from '../../src/graphql/schema.ts';
import { root } from '../support/source-files.ts';
import { endOf, newPath, run, temporaryDirectory, until } from './support.ts';

/** Creates a small program with this project's build. */
function project() {
  const directory = temporaryDirectory();
  const files = [
    'build.js',
    'bundle.js',
    'package.json',
    'package-lock.json',
    'prisma.config.ts',
    'tsconfig.json',
    'tsconfig.build.json',
    'prisma/generate.js',
    'src/storage/sql/models.ts',
    'src/storage/lifecycle/package.ts',
    'src/surfaces/kit/document.ts',
    'src/surfaces/kit/html.ts',
    'docs/guide',
    'schema.graphql',
    'dashboard/codegen.ts',
    'dashboard/vite.config.ts',
    'dashboard/index.html',
    'dashboard/src/shell/icon.svg',
    'deploy/ssh/sallyport-ssh-host',
    'deploy/ssh/sallyport-ssh-client',
  ];
  for (const name of ['src/cli', 'src/storage/sqlite', 'prisma', 'docs/decisions', 'docs/screenshots'])
    mkdirSync(join(directory, name), { recursive: true });
  for (const file of files) cpSync(join(root, file), join(directory, file), { recursive: true });
  for (const packages of ['node_modules', 'dashboard/node_modules']) {
    if (existsSync(join(root, packages))) symlinkSync(join(root, packages), join(directory, packages));
  }
  const write = (path: string, text: string) => writeFileSync(join(directory, path), text);
  write('prisma/schema.prisma', schemaWith('id String @id'));
  for (const path of Object.values(programs)) write(path, '');
  write('src/main.ts', mainWith("string = 'one'"));
  write('dashboard/src/main.ts', dashboardWith('one'));
  // Preloaded modules.
  for (const name of ['begin.ts', 'app.tsx']) write(`dashboard/src/${name}`, `console.log('${name}');\n`);
  write('dashboard/src/viewer.graphql', 'query Viewer { viewer { account { name } } }\n');
  write('src/extra.ts', "export const extra: string = 'more';\n");
  write('src/cli.ts', "const { extra } = await import('./extra.ts');\nconsole.log(extra);\n");
  const at = (path: string) => join(directory, path);
  return {
    at,
    write,
    start: (name: keyof typeof programs) => endOf(run(process.execPath, [at(`dist/${name}.js`)])),
    build: () => endOf(run(process.execPath, [at('build.js')])),
    stamp: () => statSync(at('dist/.built'), { bigint: true }).mtimeNs,
  };
}

/** Returns the source of a dashboard that shows a text. */
const dashboardWith = (title: string) =>
  `document.title = '${title}';\nvoid import('./begin.ts');\nvoid import('./app.tsx');\n`;

/** Returns the source of a program that prints a text and the fields of the model. */
const mainWith = (declared: string) => `import { Prisma } from './storage/generated/client/client.ts';
export const text: ${declared};
console.log(text, Object.keys(Prisma.ThingScalarFieldEnum));
`;

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
  const { at, write, start, build, stamp } = project();
  const done = { code: 0, out: '', errors: '' };
  expect(await build()).toEqual(done);
  expect(await start('main')).toEqual({ ...done, out: "one [ 'id' ]\n" });
  expect(await start('cli')).toEqual({ ...done, out: 'more\n' });
  const first = stamp();
  expect(await build()).toEqual(done);
  expect(stamp()).toBe(first);

  // A stamp that was cut off while being written.
  write('dist/.built', '');
  write('src/main.ts', mainWith("number = 'two'"));
  const failed = await build();
  expect(failed.code).toBe(1);
  expect(failed.errors).toContain("src/main.ts(2,14): error TS2322: Type 'string' is not assignable to type 'number'.");

  write('dashboard/src/main.ts', dashboardWith('two'));
  write('src/main.ts', mainWith("string = 'two'"));
  write('src/new.ts', "export const added: string = 'new';\n");
  write('src/cli.ts', "import { added } from './new.ts';\nconsole.log(added);\n");
  rmSync(at('src/extra.ts'));
  write('prisma/schema.prisma', schemaWith('id Int @id\n  name String'));
  expect(await build()).toEqual(done);
  expect(await start('main')).toEqual({ ...done, out: "two [ 'id', 'name' ]\n" });
  expect(await start('cli')).toEqual({ ...done, out: 'new\n' });
  // The bundle of a deleted source, which had its own name.
  expect(readdirSync(at('dist')).filter((name) => name.startsWith('extra-'))).toEqual([]);
  const scripts = readdirSync(at('dist/dashboard/assets')).filter((name) => name.endsWith('.js'));
  const texts = scripts.map((name) => readFileSync(at(`dist/dashboard/assets/${name}`), 'utf8'));
  expect(['one', 'two'].map((title) => texts.filter((text) => text.includes(`title=\`${title}\``)).length)).toEqual([
    0, 1,
  ]);
  rmSync(at('dist/main.js'));
  expect(await build()).toEqual(done);
  expect((await start('main')).out).toBe("two [ 'id', 'name' ]\n");

  // Without the development tools, only a changed source is refused.
  rmSync(at('node_modules'));
  expect(await build()).toEqual(done);
  write('src/main.ts', mainWith("string = 'three'"));
  const refused = await build();
  expect(refused.code).toBe(1);
  expect(refused.errors).toMatch(/typescript.* is missing, .* Run "npm ci" first\.\n$/);
});

test('traces of errors name the sources, and the files of packages', async () => {
  const { at, write, start } = project();
  cpSync(join(root, 'src/cli/traces.ts'), at('src/cli/traces.ts'));
  const traced = "import { nameSourcesInTraces } from './cli/traces.ts';\nnameSourcesInTraces();\n";
  write('src/extra.ts', "// Comments\n// are no code.\nthrow new Error('own');\nexport {};\n");
  write('src/main.ts', `${traced}await import('./extra.ts');\n`);
  write('src/cli.ts', `${traced}import { assertName } from 'graphql';\nassertName('');\n`);
  await bundle(at('.'), programs, at('dist'));
  expect((await start('main')).errors).toMatch(/at .*\/src\/extra\.ts:3:7/);
  expect((await start('cli')).errors).toMatch(
    /at .*\/node_modules\/graphql\/type\/assertName\.mjs[\s\S]* at .*\/src\/cli\.ts:4:1/,
  );
  // A damaged source map costs only the source positions.
  const maps = readdirSync(at('dist')).filter((name) => name.endsWith('.map'));
  for (const name of maps)
    write(`dist/${name}`, '{"version":3,"sources":[null],"names":[],"mappings":"AAAA;AAAA;AAAA"}');
  expect(maps.length).toBeGreaterThan(1);
  expect((await start('main')).errors).toMatch(/Error: own\n {4}at .*\/dist\/.*\.js:/);
});

test('the bundled schema is that of the sources, in the same order', async () => {
  const at = (path: string) => JSON.stringify(join(root, path));
  const directory = temporaryDirectory();
  const source = `import { printSchema } from ${at('node_modules/graphql/index.mjs')};
import { schema } from ${at('src/graphql/schema.ts')};
console.log(printSchema(schema));
`;
  writeFileSync(join(directory, 'print.ts'), source);
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  await bundle(root, { print: join(directory, 'print.ts') }, join(directory, 'dist'));
  cpSync(join(root, 'package.json'), join(directory, 'package.json'));
  const { out, errors } = await endOf(run(process.execPath, [join(directory, 'dist/print.js')]));
  expect(errors).toBe('');
  expect(out.trim()).toBe(printSchema(schema));
});

test('the same sources give the same files, names included, wherever they are', async () => {
  const { at, write } = project();
  rmSync(at('node_modules'));
  for (const name of ['node_modules/xml-crypto', 'src/areas/one']) mkdirSync(at(name), { recursive: true });
  write('node_modules/xml-crypto/package.json', '{}');
  write('node_modules/xml-crypto/index.js', 'exports.SignedXml = class {};\n');
  write('src/query.wasm-base64.mjs', 'const wasm = "AGFzbQEAAAA=";\nexport { wasm };\n');
  write('src/areas/areas.ts', "import { one } from './one/area.ts';\nexport const namedAreas = [one];\n");
  write('src/areas/one/area.ts', "export const one = { schema: () => import('./schema.ts') };\n");
  write('src/areas/one/schema.ts', "export const made = 'made';\n");
  write(
    'src/main.ts',
    `import { SignedXml } from 'xml-crypto';
import { namedAreas } from './areas/areas.ts';
import { wasm } from './query.wasm-base64.mjs';
console.log(SignedXml, wasm, await namedAreas[0]?.schema());
`,
  );
  const elsewhere = join(temporaryDirectory(), 'a clone with another name');
  cpSync(at('.'), elsewhere, { recursive: true });
  const built = async (directory: string) => {
    const names = await bundle(directory, programs, join(directory, 'dist'));
    return Object.fromEntries(
      names.sort().map((name) => [name, readFileSync(join(directory, 'dist', name), 'latin1')]),
    );
  };
  const once = await built(at('.'));
  expect(Object.keys(once)).toEqual(expect.arrayContaining([expect.stringMatching(/^areas_schema-/)]));
  expect(Object.keys(once)).toEqual(expect.arrayContaining([expect.stringMatching(/^query-\w+\.wasm$/)]));
  expect(await built(elsewhere)).toEqual(once);
});

test('no class has lost a name in the bundles that a package compares', () => {
  const directory = join(inject('programs'), 'dist');
  const files = readdirSync(directory).filter((name) => /\.c?js$/.test(name));
  const code = files.map((name) => readFileSync(join(directory, name), 'utf8')).join('\n');
  const found = (pattern: RegExp) => new Set([...code.matchAll(pattern)].map(([, name = '']) => name));
  const compared = found(/\bconstructor\??\.name\s*[!=]==?\s*["'](\w+)["']/g);
  expect(compared).toContain('Sequence');
  // A class that refers to itself becomes `_Name`, the second one of a name `Name2`.
  const classes = found(/\bclass (\w+)/g);
  const lost = [...compared].filter((name) => classes.has(`_${name}`) || classes.has(`${name}2`));
  expect(lost).toEqual([]);
});

test('a package that few requests need is loaded and evaluated when something of it is first used', async () => {
  const { at, write, start } = project();
  rmSync(at('node_modules'));
  mkdirSync(at('node_modules/xml-crypto'), { recursive: true });
  write('node_modules/xml-crypto/package.json', '{}');
  write(
    'node_modules/xml-crypto/index.js',
    "process.env.EVALUATED = 'yes';\nexports.SignedXml = class { a = 'made'; };\n",
  );
  const tell = 'console.log(process.env.EVALUATED);\n';
  write('src/main.ts', `import { SignedXml } from 'xml-crypto';\n${tell}console.log(new SignedXml().a);\n${tell}`);
  write('src/cli.ts', `import whole from 'xml-crypto';\n${tell}console.log(new whole.SignedXml().a);\n${tell}`);
  await bundle(at('.'), programs, at('dist'));
  const done = { code: 0, out: 'undefined\nmade\nyes\n', errors: '' };
  expect([await start('main'), await start('cli')]).toEqual([done, done]);
  const holding = readdirSync(at('dist')).filter((name) =>
    readFileSync(at(`dist/${name}`), 'utf8').includes('EVALUATED='),
  );
  expect(holding).toEqual(['packages-later.cjs']);
});

test('WebAssembly is in files of its own, and no program holds it as text', () => {
  const directory = join(inject('programs'), 'dist');
  const names = readdirSync(directory);
  const webAssembly = names.filter((name) => name.endsWith('.wasm'));
  expect(webAssembly.map((name) => name.replace(/-\w+\.wasm$/, '')).sort()).toEqual([
    'query_compiler_fast_bg.postgresql',
    'query_compiler_fast_bg.sqlite',
  ]);
  for (const name of webAssembly) expect(readFileSync(join(directory, name)).toString('latin1', 0, 4)).toBe('\0asm');
  // The beginning of WebAssembly in Base64.
  const texts = names.filter(
    (name) => name.endsWith('.js') && readFileSync(join(directory, name), 'utf8').includes('"AGFzbQ'),
  );
  expect(texts).toEqual([]);
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
