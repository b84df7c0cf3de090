// Work that is queued for the writing connection, and how writes that arrive together share a commit.

import type { SqlQuery } from '@prisma/driver-adapter-utils';
import { createTimedPauses } from '../../domain/concurrency/pauses.ts';

/** Work that is queued for the writing connection. */
export interface Turn {
  /** Whether it needs an open transaction. */
  readonly begins: boolean;
  /** Whether it may share a transaction with neighbouring turns. */
  readonly grouped: boolean;
  /** How much it writes, as `sizeOf` measures it. */
  readonly size: number;
  /** Does the work, and returns the function that resolves the caller's promise, to be called once the work is durable. */
  readonly run: () => () => void;
  /** Rejects the caller's promise. Does nothing if it is settled already. */
  readonly fail: (error: unknown) => void;
}

/**
 * Most event loop turns in which writes are gathered. Clients learn of a commit one after another, and send their next writes the
 * same way: of 32 clients, the writes of 20 arrived in one turn, and of 26 within four (measured). A commit costs more than most
 * writes.
 */
const turnsMax = 4;

/**
 * Calls `goOn` at the end of the first event loop turn that brings no more writes, at the latest after `turnsMax` turns. For a
 * single write that is the end of its own turn.
 *
 * @param count returns how many writes are waiting
 */
export function gather(count: () => number, goOn: () => void): void {
  const look = (before: number, turns: number) => {
    const now = count();
    if (now > before && turns < turnsMax) setImmediate(look, now, turns + 1);
    else goOn();
  };
  // Runs after the I/O of the turn.
  setImmediate(look, count(), 1);
}

/**
 * Creates the counterpart of `gather` for a database in memory, whose commits cost nothing: it goes on in the same turn, until the work that
 * the database is for should pause.
 */
export function createMemoryGather(): typeof gather {
  const pauses = createTimedPauses();
  return (_count, goOn) => {
    if (pauses.due()) setImmediate(goOn);
    else queueMicrotask(goOn);
  };
}

/**
 * Most that one commit writes, as `sizeOf` measures it, unless a single turn writes more: other work waits for its end. Eight
 * writes of 256 KiB together took 248 ms on a busy machine (measured).
 */
const sizeMax = 256_000;
/** What a statement without values counts for. */
const statementSize = 2_000;

/** Returns how much statements write: the characters and bytes of their values, and something for each statement itself. */
function sizeOf(statements: readonly SqlQuery[]): number {
  let size = 0;
  for (const { args } of statements) {
    size += statementSize;
    for (const value of args) if (typeof value === 'string' || value instanceof Uint8Array) size += value.length;
  }
  return size;
}

/** Returns how many of the waiting turns share the next commit, of which the first is grouped. */
export function firstGroup(waiting: readonly Turn[]): number {
  let size = 0;
  const end = waiting.findIndex((turn, index) => {
    size += turn.size;
    return !turn.grouped || (index > 0 && size > sizeMax);
  });
  return end === -1 ? waiting.length : end;
}

/** For writes that share a transaction with neighbouring turns. */
export function withOthers(...statements: readonly SqlQuery[]): Pick<Turn, 'begins' | 'grouped' | 'size'> {
  return { grouped: true, begins: true, size: sizeOf(statements) };
}

/** For work that takes its turn alone. */
export const alone: Pick<Turn, 'begins' | 'grouped' | 'size'> = { grouped: false, begins: false, size: 0 };
