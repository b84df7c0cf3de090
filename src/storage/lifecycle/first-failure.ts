// Repeated work: a failure is reported once, and not again until the work has succeeded in between.

/** Creates the function that attempts such work. It never rejects. */
export function reportingFirst(report: (error: unknown) => void): (work: () => Promise<unknown>) => Promise<void> {
  let hasFailed = false;
  return async (work) => {
    try {
      await work();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) report(error);
      hasFailed = true;
    }
  };
}
