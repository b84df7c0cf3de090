// What processes use, as Linux tells in /proc: see proc(5).

import { readFileSync } from 'node:fs';
import { childrenOf } from '../test/support/postgres.ts';

/** `USER_HZ`, which is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Gives the processor time of a process and of all below it, also of those that have ended, in seconds. */
export function processorSecondsOf(pid: number): number {
  const ticks = treeOf(pid).map((one) => {
    // After the name in parentheses, which may hold anything, `utime`, `stime`, and both of children that have ended are the 12th
    // to the 15th.
    const [, rest = ''] = readProcess(one, 'stat').split(') ');
    return sum(rest.split(' ').slice(11, 15).map(Number));
  });
  return sum(ticks) / ticksPerSecond;
}

/** Gives the processor time of each process that a process has started and that runs, in seconds. */
export function processorSecondsOfChildren(pid: number): number[] {
  return childrenOf(pid).map(processorSecondsOf);
}

/** Gives the memory that a process has in RAM, in MiB. */
export function residentMiBOf(pid: number): number {
  return kilobytesOf(readProcess(pid, 'status'), 'VmRSS') / 1024;
}

/** Gives the memory that a process and all below it have in RAM, in MiB: what some of them share is counted once. */
export function sharedMiBOf(pid: number): number {
  return sum(treeOf(pid).map((one) => kilobytesOf(readProcess(one, 'smaps_rollup'), 'Pss'))) / 1024;
}

function treeOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

/** Gives what a file of a process says; nothing when the process has ended since it was listed. */
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
