// Sends the answers of one turn of the event loop together at its end.

/**
 * Creates a function that sends answers at the end of the turn, in the order in which they were made. Sending an answer wakes the
 * process that waits for it. That costs as much processor time as making a short answer, but nothing if the process is still busy
 * with the previous one.
 *
 * @param send sends one answer, and must not throw
 * @param togetherMax how many answers wait at most: the last of them ends the wait for all
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
    // After all input that has arrived is read, and before the event loop waits for more.
    if (waiting.length === 1) immediate = setImmediate(leave);
    if (waiting.length === togetherMax) leave();
  };
}

/**
 * Creates a function that waits for the end of the turn, like `createDepartures`: the callers that wait then continue one after the
 * other.
 *
 * @param togetherMax how many callers wait at most
 */
export function createTurnEnd(togetherMax: number): () => Promise<void> {
  const depart = createDepartures<() => void>((depart) => depart(), togetherMax);
  return () => new Promise(depart);
}
