// What commands print, for tests that run them in their own process.

import { onTestFinished, vi } from 'vitest';

/** Keeps from standard output what is printed there until the end of the test, and returns it, text by text. */
export function capturePrinted(): string[] {
  const printed: string[] = [];
  const write = (text: Uint8Array | string, done?: unknown) => {
    printed.push(String(text));
    if (typeof done === 'function') done();
    return true;
  };
  const output = vi.spyOn(process.stdout, 'write').mockImplementation(write);
  onTestFinished(() => output.mockRestore());
  return printed;
}
