// Random bytes for ids, which every request needs: asking the operating system each time would cost more than all the rest.

import { randomFillSync } from 'node:crypto';

const lotBytes = 4_096;

/**
 * Creates a source of random bytes that asks the operating system for 4096 at a time. No byte is given out twice.
 *
 * @returns a function that returns the requested number of bytes; it throws RangeError for more than 4096
 */
export function createRandomBytes(): (size: number) => Uint8Array {
  let lot = Buffer.alloc(0);
  let given = 0;
  return (size) => {
    if (size > lotBytes) throw new RangeError(`at most ${lotBytes} random bytes at a time`);
    if (given + size > lot.length) {
      // A new buffer, because callers hold views of the old one.
      lot = randomFillSync(Buffer.allocUnsafeSlow(lotBytes));
      given = 0;
    }
    given += size;
    return lot.subarray(given - size, given);
  };
}
