// How many files the system lets this process have open: each connection is one.

import { readFileSync } from 'node:fs';

/** Files beside the connections: the database, with some 15 connections to a PostgreSQL, and what requests open for a moment. */
const othersMax = 100;
/** Connections that are served whatever the limit is. */
const connectionsMin = 10;

/**
 * Gives how many connections have room under the limit of the system, which Node has raised as far as it may (`ulimit -Hn`); Infinity where
 * that is not known, because only Linux has the file. Beyond the limit the database could open nothing, and Node would hand no connection any
 * more to a worker that could not take one (three tries, then it waits for an answer for ever; seen with 256 files).
 */
export function connectionsWithinFiles(): number {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return Number.POSITIVE_INFINITY;
  }
  const filesMax = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return filesMax === undefined ? Number.POSITIVE_INFINITY : Math.max(connectionsMin, Number(filesMax) - othersMax);
}
