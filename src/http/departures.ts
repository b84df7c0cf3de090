// Sends the answers of one turn of the event loop together at its end.

/**
 * Creates what sends answers at the end of the turn, in the order in which they were made. Sending an answer wakes the process that waits
 * for it, which costs as much processor time as making a short one, and nothing if that process is still busy with the one before.
 *
 * @param send sends one, and throws nothing
 * @param togetherMax how many wait at most: the last of them ends the wait for all
 */
export function createDepartures<T>(send: (answer: T) => void, togetherMax: number): (answer: T) => void {
  let waiting: T[] = [];
  let immediate: NodeJS.Immediate | undefined;
  const leave = () => {
    clearImmediate(immediate);
    const leaving = waiting;
    waiting = [];
    for (const answer of leaving) send(answer);
  };
  return (answer) => {
    waiting.push(answer);
    // After all that has arrived was read, and before anything else is waited for.
    if (waiting.length === 1) immediate = setImmediate(leave);
    if (waiting.length === togetherMax) leave();
  };
}

/**
 * Creates what waits for the end of the turn, as `createDepartures`: what follows the wait is done for all that wait, one after the other.
 *
 * @param togetherMax how many wait at most
 */
export function createTurnEnd(togetherMax: number): () => Promise<void> {
  const depart = createDepartures<() => void>((goOn) => goOn(), togetherMax);
  return () => new Promise(depart);
}
