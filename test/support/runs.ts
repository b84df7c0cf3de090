/**
 * How often a property is tried: a tenth of the given number, and all of it with `PROPERTIES=whole`, as `.ci/run` and
 * `npm run test:all` set it.
 */
export const runs = (whole: number): number =>
  process.env.PROPERTIES === 'whole' ? whole : Math.max(1, Math.ceil(whole / 10));
