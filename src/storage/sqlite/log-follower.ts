// Follows the write-ahead log of a database that another process writes to, and tells which pages of the file may have changed.
// The formats are SQLite's: https://www.sqlite.org/walformat.html

import { readSync } from 'node:fs';
import { endianness } from 'node:os';
import { PageSet } from './page-set.ts';

/** Where a log is: what the index that all processes share says of it. */
export interface LogPosition {
  /** The index as it is, for comparison. Every commit, and every new beginning of the log, changes it. */
  readonly index: Buffer;
  /** The bytes that tell one beginning of the log from another. The first four count them. */
  readonly salts: Buffer;
  /** Frames of committed transactions. */
  readonly frames: number;
  /** How many of them have been moved into the file, and are on the disk. */
  readonly moved: number;
  /** Pages of the database after the last commit; 0 if the log has none. */
  readonly pages: number;
}

export interface LogFollower {
  /** Pages that the file may have got since they were last removed from this set: those of logs that have begun anew since. */
  readonly changed: PageSet;
  /** The pages of the log as it is now, each with its last frame. */
  readonly inLog: ReadonlyMap<number, number>;
  /**
   * Reads what is new in the log. It is enough to do so about once in the time in which the log begins anew.
   *
   * @returns null if something was missed, so that any page may have changed. The next call starts following again.
   */
  look(): LogPosition | null;
  /** Returns where the log is, without reading it; null if the index cannot be read now. */
  position(): LogPosition | null;
}

/** The two copies of the index's header, and the count of frames that were moved. */
const headerBytes = 48;
const indexBytes = 2 * headerBytes + 4;
const indexVersion = 3_007_000;
const indexReads = 100;
const logHeaderBytes = 32;
/** Before each page of the log. */
export const frameHeaderBytes = 24;

/** Returns where a frame begins in the log; they count from 1. */
export function frameAt(frame: number, pageBytes: number): number {
  return logHeaderBytes + (frame - 1) * (frameHeaderBytes + pageBytes);
}

/** Begins to follow a log, whose index and file are open under these descriptors. Nothing of it has been seen yet. */
export function followLog(index: number, log: number, pageBytes: number): LogFollower {
  const changed = new PageSet();
  const inLog = new Map<number, number>();
  let salts: Buffer | null = null;
  let seen = 0;

  const frameHeader = Buffer.alloc(frameHeaderBytes);
  /** Returns the page of a frame; null if there is none, or none of the beginning with these salts. */
  const pageOf = (frame: number, expected: Buffer): number | null => {
    const count = readSync(log, frameHeader, 0, frameHeaderBytes, frameAt(frame, pageBytes));
    if (count < frameHeaderBytes || !frameHeader.subarray(8, 16).equals(expected)) return null;
    return frameHeader.readUInt32BE(0);
  };

  /** Reads the rest of a log that has begun anew, as far as it is not overwritten. Returns whether all of it was there. */
  const finish = (old: Buffer, now: Buffer): boolean => {
    if (now.readUInt32BE(0) !== (old.readUInt32BE(0) + 1) >>> 0) return false;
    for (let frame = seen + 1; ; frame++) {
      const page = pageOf(frame, old);
      if (page === null) break;
      changed.add(page);
    }
    // Frames are written in their order: if this one is old, all those behind it were when they were read.
    return pageOf(Math.max(seen, 1), old) !== null;
  };

  const position = () => readPosition(index);
  const look = (): LogPosition | null => {
    const now = position();
    if (now === null) return null;
    let isWhole = true;
    if (salts !== null && !salts.equals(now.salts)) {
      for (const page of inLog.keys()) changed.add(page);
      isWhole = finish(salts, now.salts);
      salts = null;
    }
    if (salts === null) {
      salts = now.salts;
      seen = 0;
      inLog.clear();
    }
    // Frames that the index no longer has were lost in a recovery.
    if (now.frames < seen) {
      salts = null;
      return null;
    }
    for (; seen < now.frames; seen++) {
      const page = pageOf(seen + 1, now.salts);
      if (page === null) {
        // Either it has begun anew just now, or the index is not that of this log.
        const isNew = isWhole && position()?.salts.equals(now.salts) === false;
        if (!isNew) salts = null;
        return isNew ? look() : null;
      }
      inLog.set(page, seen + 1);
    }
    return isWhole ? now : null;
  };
  return { changed, inLog, look, position };
}

function readPosition(index: number): LogPosition | null {
  const bytes = Buffer.alloc(indexBytes);
  // The numbers of the index are in the order of the machine.
  const number = (at: number) => (endianness() === 'LE' ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  for (let read = 0; read < indexReads; read++) {
    const isThere = readSync(index, bytes, 0, indexBytes, 0) === indexBytes;
    const header = bytes.subarray(0, headerBytes);
    // Both are written one after the other: where they differ, somebody is writing.
    if (!isThere || !header.equals(bytes.subarray(headerBytes, 2 * headerBytes))) continue;
    if (number(0) !== indexVersion || bytes[12] !== 1) continue;
    return { index: header, salts: bytes.subarray(32, 40), frames: number(16), pages: number(20), moved: number(96) };
  }
  return null;
}
