// The limit of open files of this process: each connection is an open file.

import { readFileSync } from 'node:fs';

/** Files reserved for other uses: the database, with about 15 connections to PostgreSQL, and files that requests open briefly. */
const othersMax = 100;
/** Connections that are allowed whatever the limit is. */
const connectionsMin = 10;

/**
 * Returns how many connections fit under the system's limit, which Node has raised to the hard limit (`ulimit -Hn`); Infinity if it
 * is unknown, because only Linux has the file. Beyond the limit the database could open no files, and Node would stop handing
 * connections to a worker that could not accept one (three tries, then it waits forever for an answer; seen with 256 files).
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
