// Approvals have no routes: only people approve, in the dashboard.

import type { AreaSamples } from '../../support/samples.ts';

export const samples: AreaSamples = { routes: [], bodies: {}, unique: {}, collections: [] };
