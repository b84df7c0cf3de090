// Generated files in a directory: written when their content changes, and then reloaded by another program.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeGeneratedFiles } from '../../src/cli/generated-files.ts';
import { generatedFile } from '../../src/domain/enforcement/generated-file.ts';
import { temporaryDirectory } from './support.ts';

const [one, other] = [generatedFile('one.conf', 'a test', ['allow all;']), generatedFile('other.conf', 'a test', [])];

test('are written when they change, and removed when they are no longer needed', async () => {
  const directory = join(temporaryDirectory(), 'made');
  const write = (...files: (typeof one)[]) => writeGeneratedFiles(directory, files, null);
  expect(await write(one, other)).toEqual({ changed: ['one.conf', 'other.conf'], reloaded: false });
  const { ino, mode } = statSync(join(directory, 'one.conf'));
  expect(mode & 0o777).toBe(0o640);
  writeFileSync(join(directory, 'mine.conf'), 'not generated');
  expect(await write(one, other)).toEqual({ changed: [], reloaded: false });
  expect(await write(one)).toEqual({ changed: ['other.conf'], reloaded: false });
  expect(readdirSync(directory)).toEqual(['mine.conf', 'one.conf']);
  expect(statSync(join(directory, 'one.conf')).ino).toBe(ino);
});

test('are read again after a change, and after a reload that failed', async () => {
  const directory = temporaryDirectory();
  const flags = temporaryDirectory();
  const write = (file: typeof one) => writeGeneratedFiles(directory, [file], `test -e ${flags}/ready`);
  const failure = `The reload command failed (exit code 1): test -e ${flags}/ready`;
  await expect(write(one)).rejects.toThrow(failure);
  // The files are there, but the program does not use them yet: the reload is retried although nothing has changed.
  await expect(write(one)).rejects.toThrow(failure);
  writeFileSync(join(flags, 'ready'), '');
  expect(await write(one)).toEqual({ changed: [], reloaded: true });
  expect(await write(one)).toEqual({ changed: [], reloaded: false });
  expect(readFileSync(join(directory, 'one.conf'), 'utf8')).toBe(one.text);
});

test('leave the files of other exports alone', async () => {
  const directory = temporaryDirectory();
  const write = (...files: (typeof one)[]) => writeGeneratedFiles(directory, files, null);
  const another = generatedFile('another.conf', 'another test', []);
  await write(one, other);
  expect(await write(another)).toEqual({ changed: ['another.conf'], reloaded: false });
  expect(await write(one)).toEqual({ changed: ['other.conf'], reloaded: false });
  await expect(write(generatedFile('new.conf', 'another test', []), { ...another, name: 'one.conf' })).rejects.toThrow(
    `${directory}/one.conf belongs to another export (a test). Remove that, or choose another directory.`,
  );
  expect(readdirSync(directory)).toEqual(['another.conf', 'one.conf']);
  expect(readFileSync(join(directory, 'one.conf'), 'utf8')).toBe(one.text);
});

test('are read again after a reload that failed, whatever another export in the directory did since', async () => {
  const directory = temporaryDirectory();
  await expect(writeGeneratedFiles(directory, [one], 'false')).rejects.toThrow('exit code 1');
  const another = generatedFile('another.conf', 'another test', []);
  expect(await writeGeneratedFiles(directory, [another], 'true')).toEqual({
    changed: ['another.conf'],
    reloaded: true,
  });
  expect(await writeGeneratedFiles(directory, [one], 'true')).toEqual({ changed: [], reloaded: true });
});
