// The programs as they are shipped, compiled from the sources of this moment, so that no test depends on an old build; beside
// them the small programs that the storage tests start. Compiled code starts several times as fast as `tsx`.

import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { root } from './source-files.ts';

/** What is compiled, and where to. The small programs import the sources as `../../../src`. */
const folders = { src: 'dist', 'test/storage/fixtures': 'test/storage/fixtures' };

/**
 * Compiles what has changed since the last run, beside a copy of the migrations.
 *
 * @returns the directory, which stays for the next run; the programs are `dist/main.js` and `dist/cli.js` in it
 */
export function compilePrograms(): string {
  // Below `node_modules`, where Node finds the dependencies.
  const directory = join(root, 'node_modules/.cache/sallyport-programs');
  mkdirSync(directory, { recursive: true });
  rmSync(join(directory, 'prisma'), { recursive: true, force: true });
  cpSync(join(root, 'prisma'), join(directory, 'prisma'), { recursive: true });
  cpSync(join(root, 'package.json'), join(directory, 'package.json'));
  for (const [source, target] of Object.entries(folders)) compileFolder(join(root, source), join(directory, target));
  rmSync(join(directory, 'src'), { force: true });
  symlinkSync('dist', join(directory, 'src'));
  return directory;
}

/** Copies compiled programs into a directory of their own, for a test that changes something about them. */
export function copyPrograms(programs: string, directory: string): void {
  cpSync(programs, directory, { recursive: true, verbatimSymlinks: true });
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
}

function compileFolder(source: string, target: string): void {
  const { options } = ts.convertCompilerOptionsFromJson(
    { module: 'ESNext', target: 'ES2022', verbatimModuleSyntax: true, rewriteRelativeImportExtensions: true },
    root,
  );
  mkdirSync(target, { recursive: true });
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const compiled = new Set(files.map((file) => file.replace(/\.ts$/, '.js')));
  for (const file of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.js') && !compiled.has(file)) rmSync(join(target, file));
  }
  for (const file of files) {
    const from = join(source, file);
    const to = join(target, file.replace(/\.ts$/, '.js'));
    // A file gets the time of its source, so that an older source counts as a change, too.
    const { atime, mtime } = statSync(from);
    if (statSync(to, { throwIfNoEntry: false })?.mtimeMs === mtime.getTime()) continue;
    mkdirSync(dirname(to), { recursive: true });
    const text = ts.transpileModule(readFileSync(from, 'utf8'), { compilerOptions: options }).outputText;
    // Whoever runs the tests at the same moment finds a whole file.
    writeFileSync(`${to}.new`, text);
    utimesSync(`${to}.new`, atime, mtime);
    renameSync(`${to}.new`, to);
  }
}
