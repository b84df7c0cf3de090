// The list of the areas' restorers, one line each.

import { apiKeyRestorers } from '../areas/api-keys/restore-store.ts';
import { backendRestorers } from '../areas/backends/restore-store.ts';
import { httpsEdgeRestorers } from '../areas/https-edges/restore-store.ts';
import { ipPolicyRestorers } from '../areas/ip-policies/restore-store.ts';
import { ipRestrictionRestorers } from '../areas/ip-restrictions/restore-store.ts';
import { sshRestorers } from '../areas/ssh/restore-store.ts';
import { tlsEdgeRestorers } from '../areas/tls-edges/restore-store.ts';
import type { Restorers } from '../storage/restoring.ts';

/** The restorers of all kinds of objects that can be restored. */
export const restorers: Restorers = {
  ...apiKeyRestorers,
  ...backendRestorers,
  ...httpsEdgeRestorers,
  ...ipPolicyRestorers,
  ...ipRestrictionRestorers,
  ...sshRestorers,
  ...tlsEdgeRestorers,
};
