// The programs as they are shipped, compiled from the sources of this moment: they start in half the time that `tsx` takes,
// and no test depends on an old build.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { root } from './source-files.ts';

/**
 * Compiles the programs into a new temporary directory, beside a copy of the migrations. Whoever calls it removes the
 * directory.
 *
 * @returns the directory; the programs are `dist/main.js` and `dist/cli.js` in it
 */
export function compilePrograms(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-programs-'));
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  cpSync(join(root, 'prisma'), join(directory, 'prisma'), { recursive: true });
  cpSync(join(root, 'package.json'), join(directory, 'package.json'));
  const { options } = ts.convertCompilerOptionsFromJson(
    { module: 'ESNext', target: 'ES2022', verbatimModuleSyntax: true, rewriteRelativeImportExtensions: true },
    root,
  );
  for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const target = join(directory, 'dist', file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    const source = readFileSync(join(root, 'src', file), 'utf8');
    writeFileSync(target, ts.transpileModule(source, { compilerOptions: options }).outputText);
  }
  return directory;
}
