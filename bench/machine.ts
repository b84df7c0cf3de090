// Describes what the figures were measured on.

import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { quantile } from './figures.ts';
import type { Place } from './places.ts';
import { root } from './servers.ts';

/** Packages whose versions matter to the figures. */
const packages = ['express', 'graphql', 'graphql-yoga', '@prisma/client', 'better-sqlite3', 'pg', 'autocannon'];

/** Describes the machine, its disk, the load of others and the versions, one per line. */
export async function describeMachine({ directory, describe }: Place): Promise<string[]> {
  const versions = packages.map((name) => `${name} ${versionOf(name)}`);
  return [
    `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} cores, ` +
      `${(totalmem() / 2 ** 30).toFixed(0)} GiB of memory`,
    `${type()} ${release()}, Node ${process.version}`,
    `a write of 4 KiB with \`fsync\` takes ${syncMs(directory).toFixed(2)} ms (median)`,
    [...(await describe()), ...versions].join(', '),
    `measured on ${new Date().toISOString().slice(0, 10)}, begun at a load average of ${loadavg()[0]?.toFixed(1)}`,
  ];
}

function versionOf(name: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
  return String(version);
}

/**
 * Returns the median milliseconds of what durability rests on: a write with `fsync`, which differs more between disks than
 * processors do.
 */
function syncMs(directory: string): number {
  const file = openSync(join(directory, 'sync'), 'w');
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 200 }, () => {
    const begun = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    return performance.now() - begun;
  });
  closeSync(file);
  return quantile(times, 0.5);
}
