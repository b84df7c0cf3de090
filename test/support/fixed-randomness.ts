// Fixes the values that properties are tried with: they are the same in every run, so that a failing test points to a change, not
// to chance. `SEED=<number>` tries others.

import fc from 'fast-check';

const seed = Number.parseInt(process.env.SEED ?? '20261123', 10);
if (Number.isNaN(seed)) throw new Error('SEED must be a whole number.');
fc.configureGlobal({ seed });
