// How numbers, lists and errors are written for people. Pure.

/** Most things that a list names; the others are counted. */
const namedMax = 3;

/** Writes a number of things: `1 key`, `2 keys`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Writes a list of things, of which only the first are named. */
export function listed<T>(things: readonly T[], name: (thing: T) => string): string {
  const named = things.slice(0, namedMax).map(name).join(', ');
  return things.length > namedMax ? `${named} and ${things.length - namedMax} more` : named;
}

/** Gives what an error says. Anything can be thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
