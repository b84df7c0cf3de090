// The values that properties are tried with: the same ones in every run, so that a test that fails is about what was changed, not
// about chance. `SEED=<number>` tries others.

import fc from 'fast-check';

const seed = Number.parseInt(process.env.SEED ?? '20261123', 10);
if (Number.isNaN(seed)) throw new Error('SEED must be a whole number.');
fc.configureGlobal({ seed });
