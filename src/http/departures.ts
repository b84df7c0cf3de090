// Has answers that are made in one turn of the event loop leave together at its end.

/**
 * Creates a wait for the end of the turn. To send an answer wakes whoever waits for it, which takes as much processor time as to make
 * a short one, and nothing while he is still busy with the one before.
 *
 * @param togetherMax how many wait at most: the last of them ends the wait for all
 */
export function createDepartures(togetherMax: number): () => Promise<void> {
  let departure: Promise<void> | undefined;
  let leave = () => {};
  let waiting = 0;
  return () => {
    departure ??= new Promise((resolve) => {
      leave = () => {
        departure = undefined;
        waiting = 0;
        resolve();
      };
      // After all that has arrived was read, and before anything else is waited for.
      setImmediate(leave);
    });
    const mine = departure;
    waiting += 1;
    if (waiting === togetherMax) leave();
    return mine;
  };
}
