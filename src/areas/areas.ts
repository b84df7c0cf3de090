// The areas, in the order in which the API is described. What each brings to the rest is declared in its `area.ts`.

import { apiKeys } from './api-keys/area.ts';
import { approvals } from './approvals/area.ts';
import { auditEvents } from './audit-events/area.ts';
import { backends } from './backends/area.ts';
import { configuration } from './configuration/area.ts';
import { expectations } from './expectations/area.ts';
import { httpsEdges } from './https-edges/area.ts';
import { ipPolicies } from './ip-policies/area.ts';
import { ipRestrictions } from './ip-restrictions/area.ts';
import type { Outlook } from './outlook.ts';
import { people } from './people/area.ts';
import { ssh } from './ssh/area.ts';
import { tlsEdges } from './tls-edges/area.ts';
import { webhooks } from './webhooks/area.ts';

export const namedAreas = [
  apiKeys,
  people,
  approvals,
  ipPolicies,
  ipRestrictions,
  ssh,
  backends,
  httpsEdges,
  tlsEdges,
  expectations,
  webhooks,
  auditEvents,
  configuration,
] as const;

export const areas: readonly Outlook[] = namedAreas;
