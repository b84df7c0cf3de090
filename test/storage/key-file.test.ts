// A key file survives a power failure: its content is on the disk before the file gets its name, and then the name is, too.

import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import type { KeyedDatabase } from '../../src/storage/engine.ts';
import { findSecretKey, prepareKeyChange, sealCheck } from '../../src/storage/keys/secret-key.ts';
import { repeatableBytes } from '../support/service.ts';
import { temporaryDirectory } from './fixtures/temporary.ts';

vi.mock('node:fs', { spy: true });

const bytes = repeatableBytes('key file');
let path: string;
let place: KeyedDatabase;
beforeEach(() => {
  path = join(temporaryDirectory(), 'test.db');
  place = { name: path, keyFile: `${path}.key` };
  vi.clearAllMocks();
});

/** Returns the steps done in the directory of the database, in order, with `*` for the random part of a name. */
function steps(): string[] {
  const done: [order: number, step: () => string][] = [];
  const pathByFile = new Map<number | undefined, string>();
  const nameOf = (file: unknown) =>
    file === dirname(path) ? 'directory' : basename(String(file)).replace(/[0-9a-f]{12}/, '*');
  const { openSync, fsyncSync, linkSync, renameSync } = vi.mocked(fs);
  for (const [call, [file]] of openSync.mock.calls.entries()) {
    const { type, value } = openSync.mock.results[call] ?? {};
    if (type !== 'return' || !String(file).startsWith(dirname(path))) continue;
    const opened = () => {
      pathByFile.set(value, nameOf(file));
      return '';
    };
    done.push([openSync.mock.invocationCallOrder[call] ?? 0, opened]);
  }
  for (const [call, [file]] of fsyncSync.mock.calls.entries()) {
    done.push([fsyncSync.mock.invocationCallOrder[call] ?? 0, () => `sync ${pathByFile.get(file)}`]);
  }
  for (const { mock } of [linkSync, renameSync]) {
    for (const [call, [from, to]] of mock.calls.entries()) {
      done.push([mock.invocationCallOrder[call] ?? 0, () => `${nameOf(from)} to ${nameOf(to)}`]);
    }
  }
  return done
    .sort(([a], [b]) => a - b)
    .map(([, step]) => step())
    .filter((step) => step !== '');
}

const firstKeyFile = [
  'sync test.db.key.*.part',
  'sync directory',
  'test.db.key.*.part to test.db.key',
  'sync directory',
];

test('the first key file is on the disk before its key is used', () => {
  findSecretKey(place, null, null, bytes);
  expect(steps()).toEqual(firstKeyFile);
});

test('so is the next key of a change, and its new name at the end', () => {
  findSecretKey(place, null, null, bytes);
  vi.clearAllMocks();
  const next = bytes(32);
  prepareKeyChange(place, next);
  expect(steps()).toEqual(['sync test.db.key.new', 'sync directory']);
  findSecretKey(place, null, sealCheck(next, bytes), bytes);
  expect(steps().slice(2)).toEqual(['test.db.key.new to test.db.key', 'sync directory']);
});

test('where the file system knows no second names, the first key file is written under its name, or left alone', () => {
  const refuse = () => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
  };
  vi.mocked(fs.linkSync).mockImplementationOnce(refuse);
  const key = findSecretKey(place, null, null, bytes);
  expect(fs.readdirSync(dirname(path))).toEqual(['test.db.key']);
  expect(fs.readFileSync(`${path}.key`, 'utf8')).toBe(`${Buffer.from(key).toString('base64')}\n`);

  fs.rmSync(`${path}.key`);
  const otherKey = bytes(32);
  vi.mocked(fs.linkSync).mockImplementationOnce(refuse);
  const found = findSecretKey(place, null, null, (size) => {
    fs.writeFileSync(`${path}.key`, Buffer.from(otherKey).toString('base64'));
    return bytes(size);
  });
  expect(Buffer.from(found)).toEqual(Buffer.from(otherKey));
});
