// Decides when long work should pause so that other work gets a turn. Pure.

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
