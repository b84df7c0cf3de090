// Tests what the benchmark reports about the resources of processes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { processorSecondsOf, processorSecondsOfChildren, residentMiBOf, sharedMiBOf } from '../../bench/processes.ts';

/** Keeps the processor busy for a third of a second, says so, and then waits, under a name that looks like the end of one. */
const busy = `process.title = 'a) S 1 (b) S';
  const end = process.cpuUsage().user + 330_000;
  while (process.cpuUsage().user < end);
  process.stdout.write('done');
  setInterval(() => {}, 1_000);`;

describe.skipIf(!existsSync('/proc/self/smaps_rollup'))('on Linux', () => {
  test('processor time and memory of a process are also those of what it has started, running or ended', async () => {
    // A shell that waits for one child, and has another one that ends earlier.
    const child = spawn('/bin/sh', ['-c', '"$0" -e "$1" & "$0" -e "process.exit()"; wait', process.execPath, busy], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const { pid = 0 } = child;
    try {
      await once(child.stdout, 'data');
      await expect.poll(() => processorSecondsOfChildren(pid)).toHaveLength(1);
      const [running = 0] = processorSecondsOfChildren(pid);
      expect(running).toBeGreaterThan(0.3);
      // The shell itself uses next to nothing: the rest was used by the child that has ended.
      expect(processorSecondsOf(pid) - running).toBeGreaterThan(0);
      expect(sharedMiBOf(pid)).toBeGreaterThan(residentMiBOf(pid));
    } finally {
      process.kill(-pid, 'SIGKILL');
      await once(child, 'close');
    }
    expect([processorSecondsOf(pid), residentMiBOf(pid), sharedMiBOf(pid)]).toEqual([0, 0, 0]);
  });
});
