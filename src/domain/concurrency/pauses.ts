// Decides when long work should pause so that other work gets a turn: by what it has done, or by how long it has gone on. Pure except for
// the event loop.

/** Creates a counter whose `due` returns true once per `stepsAtOnce` steps, when other work should get a turn. */
export function createPauses(stepsAtOnce: number): { due(steps: number): boolean } {
  let steps = 0;
  return {
    due(more) {
      steps += more;
      if (steps < stepsAtOnce) return false;
      steps = 0;
      return true;
    },
  };
}

/** How long work goes on in one turn of the event loop, in milliseconds. */
const sliceMs = 3;

let turn = 0;
let isCounted = false;

/** Returns a number that is another in each turn of the event loop. */
function currentTurn(): number {
  if (!isCounted) {
    isCounted = true;
    setImmediate(() => {
      turn += 1;
      isCounted = false;
    });
  }
  return turn;
}

/**
 * Creates a clock whose `due` returns true once work has gone on for 3 ms since its first look in this turn of the event loop. Work that pauses
 * more often waits as often for the slices of others: a short one of 50 ms, with a pause after each of its statements, took 2 s beside a long one.
 * Several clocks of the same work do not add up, because a pause of any is one for all.
 */
export function createTimedPauses(): { due(): boolean } {
  let [inTurn, begunMs] = [-1, 0];
  return {
    due() {
      const now = performance.now();
      if (inTurn === currentTurn()) return now - begunMs >= sliceMs;
      [inTurn, begunMs] = [currentTurn(), now];
      return false;
    },
  };
}
