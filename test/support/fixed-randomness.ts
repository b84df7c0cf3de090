// The values that properties are tried with: the same ones in every run, so that a test that fails is about what was changed, not
// about chance. `SEED=<number>` tries others.

import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.SEED ?? 20_261_123) });
