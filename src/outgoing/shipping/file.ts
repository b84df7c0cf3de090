// Ships to a file of JSON lines, which is renamed when it has become long.

import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../../domain/wording.ts';
import { syncFile } from '../../storage/lifecycle/durable-files.ts';
import { inOrder, type Receiver, ShippingFailure } from './receiver.ts';
import { idOfLine, jsonLine } from './records.ts';

/** What the operator has set. */
export interface FileSettings {
  readonly path: string;
  /** Bytes from which on the file is renamed, and how many renamed ones are kept. */
  readonly bytesMax: number;
  readonly kept: number;
}

/** Bytes at the end of the file in which lines are looked for that were written before a crash. */
const tailBytes = 6_291_456;
/** Bytes of a line that hold its identifier. */
const headBytes = 64;

/**
 * Creates the receiver. The file is opened anew for each write, so that other programs may rename it at any time.
 *
 * @param isKeeper whether it mends and renames the file; of all that write to the same file, one does
 */
export function createFileReceiver({ path, bytesMax, kept }: FileSettings, isKeeper: boolean): Receiver {
  const turn = inOrder();

  const rotate = async () => {
    await rm(`${path}.${kept}`, { force: true });
    for (let number = kept - 1; number >= 1; number -= 1)
      await renameIfThere(`${path}.${number}`, `${path}.${number + 1}`);
    await renameIfThere(path, `${path}.1`);
  };
  const write = async (text: Buffer) => {
    const { file, size } = await openWhole(path, isKeeper);
    try {
      let written = 0;
      try {
        while (written < text.length) written += (await file.write(text, written)).bytesWritten;
      } catch (error) {
        // A full disk takes the beginning of a line: without it, what comes later is readable.
        if (isKeeper && written > 0) await file.truncate(size).catch(() => {});
        throw error;
      }
      await file.datasync();
      if (size === 0) syncFile(dirname(path));
    } finally {
      await file.close();
    }
  };
  return {
    name: 'file',
    doubtMs: 0,
    known: () =>
      turn(async () => {
        const ids = new Set<string>();
        for (const each of [path, `${path}.1`]) {
          const tail = await readTail(each);
          // Without what follows the last line break, which is written again.
          for (let start = 0, end = endOfLine(tail, 0); end > 0; start = end, end = endOfLine(tail, start)) {
            const id = idOfLine(tail.toString('latin1', start, start + headBytes));
            if (id !== null) ids.add(id);
          }
        }
        return ids;
      }),
    send: (records) =>
      turn(async () => {
        const text = Buffer.from(records.map(jsonLine).join(''));
        try {
          const size = await sizeOf(path);
          if (isKeeper && size > 0 && size + text.length > bytesMax) await rotate();
          await write(text);
        } catch (error) {
          throw new ShippingFailure(`${path} cannot be written: ${messageOf(error)}`, { cause: error });
        }
        return null;
      }),
    close: async () => true,
  };
}

/**
 * Opens the file. The keeper makes it end with a whole line: what follows the last line break was cut off by a crash, and is written
 * again.
 */
async function openWhole(path: string, isKeeper: boolean): Promise<{ file: FileHandle; size: number }> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const whole = isKeeper ? await lengthOfLines(file, size) : size;
    if (whole < size) await file.truncate(whole);
    return { file, size: whole };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Returns how long a file is up to its last line break. */
async function lengthOfLines(file: FileHandle, size: number): Promise<number> {
  const last = Buffer.alloc(1);
  if (size === 0 || ((await file.read(last, 0, 1, size - 1)).bytesRead === 1 && last[0] === 10)) return size;
  const piece = Buffer.alloc(65_536);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - piece.length);
    const { bytesRead } = await file.read(piece, 0, end - start, start);
    const at = piece.subarray(0, bytesRead).lastIndexOf(10);
    if (at !== -1) return start + at + 1;
    end = start;
  }
  return 0;
}

/** Returns where the next line begins; 0 if there is no line break any more. */
function endOfLine(text: Buffer, start: number): number {
  return text.indexOf(10, start) + 1;
}

async function readTail(path: string): Promise<Buffer> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return Buffer.alloc(0);
    throw error;
  }
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - tailBytes);
    const tail = Buffer.alloc(size - start);
    const { bytesRead } = await file.read(tail, 0, tail.length, start);
    return tail.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
