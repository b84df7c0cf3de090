// What areas find that needs attention: the list of those that find something, one line each.

import { apiKeyAttention } from '../areas/api-keys/attention-store.ts';
import { auditAttention } from '../areas/audit-events/attention-store.ts';
import { httpsEdgeAttention } from '../areas/https-edges/attention-store.ts';
import { ipRestrictionAttention } from '../areas/ip-restrictions/attention-store.ts';
import { sshAttention } from '../areas/ssh/attention-store.ts';
import { tlsEdgeAttention } from '../areas/tls-edges/attention-store.ts';
import type { AttentionSource } from '../storage/attention.ts';

/** Everything that looks for what needs attention. */
export const attentionSources: readonly AttentionSource[] = [
  ...apiKeyAttention,
  ...auditAttention,
  ...httpsEdgeAttention,
  ...ipRestrictionAttention,
  ...sshAttention,
  ...tlsEdgeAttention,
];
