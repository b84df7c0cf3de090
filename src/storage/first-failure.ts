// Work that is repeated: a failure is reported once, and not again until the work has succeeded in between.

/** Creates what attempts such work. Never rejects. */
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
