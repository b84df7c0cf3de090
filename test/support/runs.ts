const isWhole = process.env.PROPERTIES === 'whole';

/**
 * How often a property is tried: a tenth of the given number, and all of it with `PROPERTIES=whole`, as `npm run test:all` sets it.
 */
export const runs = (whole: number): number => (isWhole ? whole : Math.max(1, Math.ceil(whole / 10)));

/** Which of many cases are tried: every tenth, and likewise all of them. */
export const someOf = <T>(cases: readonly T[]): readonly T[] => cases.filter((_, index) => isWhole || index % 10 === 0);
