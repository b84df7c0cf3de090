// Waits for what comes together, so that it shares a commit.

/**
 * Turns of the event loop in which writes gather. The clients of those that a commit has acknowledged hear of it one after the other,
 * and send their next so: of 32, some 20 came in one turn, and 26 in those (measured). A commit costs more than most writes.
 */
const turnsMax = 4;

/**
 * Goes on at the end of a turn of the event loop that has brought nothing more, and after a few in any case. Where this turn brings
 * nothing more, that is its own end: what is alone, or has waited before, is not held up.
 *
 * @param count tells how many wait
 */
export function gather(count: () => number, goOn: () => void): void {
  const look = (before: number, turns: number) => {
    const now = count();
    if (now > before && turns < turnsMax) setImmediate(look, now, turns + 1);
    else goOn();
  };
  // After the input and output of the turn.
  setImmediate(look, count(), 1);
}
