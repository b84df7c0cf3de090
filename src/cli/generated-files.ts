// Writes generated files into a directory, and makes another program reload them.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GeneratedFile, generatedAs } from '../domain/enforcement/generated-file.ts';
import { syncFile } from '../storage/lifecycle/durable-files.ts';
import { writingFile } from '../storage/lifecycle/file-problems.ts';

/** The outcome of writing the files. */
export interface WriteReport {
  /** Names of the files that were written or removed. */
  readonly changed: readonly string[];
  readonly reloaded: boolean;
}

/**
 * Brings a directory up to date: writes changed files, each under a temporary name first, so that nobody reads half of one; removes
 * files of the same export that are no longer needed; and reloads, if anything has changed since the last reload.
 *
 * @param files all files of one export, the main one last
 * @param reload a shell command; null for none
 * @throws Error if the command fails, in which case it is run again the next time; or, before anything is written, if a file of
 * another export has the name of one of these
 */
export async function writeGeneratedFiles(
  directory: string,
  files: readonly GeneratedFile[],
  reload: string | null,
): Promise<WriteReport> {
  await writingFile(directory, () => mkdirSync(directory, { recursive: true, mode: 0o750 }));
  const present = generatedIn(directory);
  for (const { name, text } of files) {
    const other = present.get(name) ?? generatedAs(text);
    if (other !== generatedAs(text)) {
      throw new Error(
        `${join(directory, name)} belongs to another export (${other}). Remove that, or choose another directory.`,
      );
    }
  }
  const own = new Set(files.map(({ text }) => generatedAs(text)));
  const stale = [...present].flatMap(([name, what]) =>
    own.has(what) && !files.some((file) => file.name === name) ? [name] : [],
  );
  const changed = files.filter(({ name, text }) => textOf(join(directory, name)) !== text);
  // This file exists from before files are changed until the other program has reloaded them, so that an interrupted reload is
  // repeated. Each export in the directory has its own.
  const pending = join(directory, `.${files.at(-1)?.name}.reload-pending`);
  if (reload !== null && changed.length + stale.length > 0) {
    await writingFile(pending, () => writeFileSync(pending, '', { mode: 0o640 }));
  }
  // In order: the main file, which refers to the others, comes last.
  for (const { name, text } of changed) {
    const aside = join(directory, `.${name}.new`);
    await writingFile(join(directory, name), () => {
      writeFileSync(aside, text, { mode: 0o640 });
      syncFile(aside);
      renameSync(aside, join(directory, name));
    });
  }
  for (const name of stale) rmSync(join(directory, name));
  const reloaded = reload !== null && existsSync(pending);
  if (reloaded) {
    await run(reload);
    rmSync(pending, { force: true });
  }
  return { changed: [...changed.map(({ name }) => name), ...stale].sort(), reloaded };
}

/** Returns which export each generated file of a directory belongs to, by file name. */
function generatedIn(directory: string): Map<string, string> {
  const names = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  return new Map(
    names.flatMap((name): [string, string][] => {
      const what = generatedAs(textOf(join(directory, name)) ?? '');
      return what === null ? [] : [[name, what]];
    }),
  );
}

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

function run(command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Its output goes to standard error: standard output is for the result.
    const child = spawn(command, { shell: true, stdio: ['ignore', 2, 2] });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`The reload command failed (${signal ?? `exit code ${code}`}): ${command}`));
    });
  });
}
