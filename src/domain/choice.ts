// Values out of a fixed set. Pure.

/** Reads a stored value of a fixed set. Throws `Error` for any other: a broken invariant, not a client's mistake. */
export function readChoice<T extends string>(choices: readonly T[], stored: string): T {
  const found = choices.find((choice) => choice === stored);
  if (found === undefined) throw new Error(`The database holds "${stored}", which is none of ${choices.join(', ')}.`);
  return found;
}
