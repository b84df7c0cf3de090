// The list of the areas' attention sources, one line each.

import { apiKeyAttention } from '../areas/api-keys/attention-store.ts';
import { auditAttention } from '../areas/audit-events/attention-store.ts';
import { httpsEdgeAttention } from '../areas/https-edges/attention-store.ts';
import { ipRestrictionAttention } from '../areas/ip-restrictions/attention-store.ts';
import { sshAttention } from '../areas/ssh/attention-store.ts';
import { tlsEdgeAttention } from '../areas/tls-edges/attention-store.ts';
import type { AttentionSource } from '../storage/attention.ts';

/** All sources that find things that need attention. */
export const attentionSources: readonly AttentionSource[] = [
  ...apiKeyAttention,
  ...auditAttention,
  ...httpsEdgeAttention,
  ...ipRestrictionAttention,
  ...sshAttention,
  ...tlsEdgeAttention,
];
