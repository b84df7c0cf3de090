// What processes use, as Linux reports it in /proc: see proc(5).

import { readFileSync } from 'node:fs';
import { childrenOf } from '../test/support/postgres.ts';

/** `USER_HZ`, which is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Returns the processor time of a process and all its descendants, including those that have ended, in seconds. */
export function processorSecondsOf(pid: number): number {
  const ticks = treeOf(pid).map((one) => {
    // After the name in parentheses, `utime`, `stime`, and the same for children that have ended are the 12th to the 15th field.
    // The name may hold anything; what follows holds no parenthesis.
    const stat = readProcess(one, 'stat');
    const rest = stat.slice(stat.lastIndexOf(') ') + 2);
    return sum(rest.split(' ').slice(11, 15).map(Number));
  });
  return sum(ticks) / ticksPerSecond;
}

/** Returns the processor time of each running child of a process, in seconds. */
export function processorSecondsOfChildren(pid: number): number[] {
  return childrenOf(pid).map(processorSecondsOf);
}

/** Returns the memory that a process has in RAM, in MiB. */
export function residentMiBOf(pid: number): number {
  return kilobytesOf(readProcess(pid, 'status'), 'VmRSS') / 1024;
}

/** Returns the memory that a process and all its descendants have in RAM, in MiB: what they share is counted once. */
export function sharedMiBOf(pid: number): number {
  return sum(treeOf(pid).map((one) => kilobytesOf(readProcess(one, 'smaps_rollup'), 'Pss'))) / 1024;
}

function treeOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

/** Returns a file of a process; empty if the process has ended since it was listed. */
function readProcess(pid: number, name: 'stat' | 'status' | 'smaps_rollup'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return '';
    throw error;
  }
}

function kilobytesOf(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
