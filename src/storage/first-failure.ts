// Work that is done again and again: that it fails is told once, and not each time until it succeeds again.

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
