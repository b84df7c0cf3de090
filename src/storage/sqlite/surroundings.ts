// Checks the surroundings of a database file: the disk that it is on, and who may read it.

import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { remedies } from '../../domain/remedies.ts';
import type { Check } from '../engine.ts';
import { fail, ok, warn } from '../lifecycle/health.ts';

/** Bytes of free disk space below which writes will soon fail, and below which `doctor` warns. */
const freeBytesMin = 64 * 1024 ** 2;
const freeBytesEasy = 1024 ** 3;

/** Checks the disk, and the file if there is one. */
export function checkSurroundings(path: string): Check[] {
  return existsSync(path) ? [checkDisk(path), checkFile(path)] : [checkDisk(path)];
}

function checkDisk(path: string): Check {
  let directory = dirname(resolve(path));
  while (!existsSync(directory)) directory = dirname(directory);
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  const message = `${Math.floor(free / 1024 ** 2)} MiB are free on the disk of the database.`;
  if (free < freeBytesMin) return fail('disk', message, 'Free disk space: writes fail when the disk is full.');
  if (free < freeBytesEasy) return warn('disk', message, 'Free disk space before it runs out.');
  return ok('disk', message);
}

function checkFile(path: string): Check {
  const { mode, uid } = statSync(path);
  const user = process.getuid?.();
  if (user !== undefined && user !== 0 && user !== uid) {
    return warn(
      'file',
      `${path} belongs to another user (${uid}).`,
      'Run the command line as the user that the server runs as.',
    );
  }
  // Others can read a file only if they can enter its directory.
  const open = (mode & 0o044) !== 0 && (statSync(dirname(resolve(path))).mode & 0o011) !== 0;
  if (open) return warn('file', `Other users can read ${path}.`, `Run: ${remedies.keepToOwner(`${path}*`)}`);
  return ok('file', `Only its owner can read ${path}.`);
}
