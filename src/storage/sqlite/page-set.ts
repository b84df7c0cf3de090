// A set of the pages of a file, in one bit for each: 160 kB for 5 GB.

const bitsAtFirst = 65_536;

/** A set of numbers from 1 on. */
export class PageSet {
  #bits = new Uint8Array(bitsAtFirst / 8);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(page: number): void {
    const at = page >>> 3;
    if (at >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(2 * this.#bits.length, at + 1));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    const mask = 1 << (page & 7);
    const byte = this.#bits[at] ?? 0;
    if ((byte & mask) !== 0) return;
    this.#bits[at] = byte | mask;
    this.#size += 1;
  }

  /** Adds the pages from 1 to this one. */
  addUpTo(last: number): void {
    for (let page = 1; page <= last; page++) this.add(page);
  }

  /** Removes the first pages that follow each other, from `from` on, at most so many, and returns them; null if there are none. */
  takeRun(from: number, countMax: number): { readonly first: number; readonly count: number } | null {
    let first = from;
    while (first >>> 3 < this.#bits.length && !this.#take(first))
      first += (this.#bits[first >>> 3] ?? 0) === 0 ? 8 - (first & 7) : 1;
    if (first >>> 3 >= this.#bits.length) return null;
    let count = 1;
    while (count < countMax && this.#take(first + count)) count += 1;
    return { first, count };
  }

  #take(page: number): boolean {
    const at = page >>> 3;
    const byte = this.#bits[at] ?? 0;
    const mask = 1 << (page & 7);
    if ((byte & mask) === 0) return false;
    this.#bits[at] = byte & ~mask;
    this.#size -= 1;
    return true;
  }
}
