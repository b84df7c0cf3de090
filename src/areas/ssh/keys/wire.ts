// Encodes and decodes the binary types of the SSH protocol (RFC 4251, section 5). Imports nothing.

/** Encodes a string: its length in bytes, then the bytes. Text becomes UTF-8. */
export function encodeString(value: Uint8Array | string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([encodeUint32(bytes.length), bytes]);
}

/** Encodes an unsigned 32-bit integer, most significant byte first. Throws RangeError outside 0..2^32-1. */
export function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Encodes an unsigned 64-bit integer, most significant byte first. Throws RangeError outside 0..2^64-1. */
export function encodeUint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

/**
 * Encodes a non-negative integer, given as big-endian bytes of any length, as an mpint: without leading zero bytes, except for
 * one if the top bit is set, because mpints are signed. Zero has no bytes at all.
 */
export function encodeMpint(magnitude: Uint8Array): Buffer {
  const firstUsed = magnitude.findIndex((byte) => byte !== 0);
  const digits = firstUsed === -1 ? Buffer.alloc(0) : magnitude.subarray(firstUsed);
  const negativeUnlessPadded = (digits[0] ?? 0) >= 0x80;
  return encodeString(negativeUnlessPadded ? Buffer.concat([Buffer.alloc(1), digits]) : digits);
}

/** Reads the types one after another. Each method throws RangeError if the bytes end too early. */
export class WireReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Bytes read so far. */
  get offset(): number {
    return this.#offset;
  }

  readUint32(): number {
    return this.#take(4).readUInt32BE();
  }

  readUint64(): bigint {
    return this.#take(8).readBigUInt64BE();
  }

  /** Reads a string, or the bytes of an mpint with its padding. The result is a view, not a copy. */
  readString(): Buffer {
    return this.#take(this.readUint32());
  }

  /** Throws RangeError if bytes are left over. */
  expectEnd(): void {
    if (this.#offset !== this.#bytes.length) {
      throw new RangeError(`${this.#bytes.length - this.#offset} bytes follow the end of the SSH structure`);
    }
  }

  #take(length: number): Buffer {
    const end = this.#offset + length;
    if (end > this.#bytes.length) {
      throw new RangeError(`SSH structure of ${this.#bytes.length} bytes ends before byte ${end}`);
    }
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }
}
