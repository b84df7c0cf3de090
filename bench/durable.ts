// What the servers that the benchmark compares with must promise of a write.

/** Throws Error unless the settings of a database are those with which no acknowledged write is lost. */
export function checkDurable(expected: string, settings: readonly unknown[]): void {
  if (settings.join() !== expected) throw new Error(`The opponent would not be durable: ${settings.join()}`);
}
