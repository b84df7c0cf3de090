// When to let others have their turn. Pure.

/** Tells when so many steps have been done that others should have their turn. */
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
