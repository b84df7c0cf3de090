// Random bytes for ids, which every request needs: to ask the operating system each time costs more than all else about them.

import { randomFillSync } from 'node:crypto';

const lotBytes = 4_096;

/**
 * Creates a source of random bytes that asks the operating system for a lot at a time. No byte is given out twice.
 *
 * @returns gives as many bytes as asked for; throws RangeError for more than 4096
 */
export function createRandomBytes(): (size: number) => Uint8Array {
  let lot = Buffer.alloc(0);
  let given = 0;
  return (size) => {
    if (size > lotBytes) throw new RangeError(`at most ${lotBytes} random bytes at a time`);
    if (given + size > lot.length) {
      // A new one, because the bytes given out are parts of the old one.
      lot = randomFillSync(Buffer.allocUnsafeSlow(lotBytes));
      given = 0;
    }
    given += size;
    return lot.subarray(given - size, given);
  };
}
