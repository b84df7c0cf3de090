// The route table: the list of areas, one line each.

import { apiKeyRoutes } from '../areas/api-keys/routes.ts';
import { backendRoutes } from '../areas/backends/routes.ts';
import { httpsEdgeRoutes } from '../areas/https-edges/routes.ts';
import { ipPolicyRoutes } from '../areas/ip-policies/routes.ts';
import { ipRestrictionRoutes } from '../areas/ip-restrictions/routes.ts';
import { sshRoutes } from '../areas/ssh/routes.ts';
import { tlsEdgeRoutes } from '../areas/tls-edges/routes.ts';
import type { Route } from './route.ts';

/** Every REST route. */
export const routes: readonly Route[] = [
  ...apiKeyRoutes,
  ...ipPolicyRoutes,
  ...ipRestrictionRoutes,
  ...sshRoutes,
  ...backendRoutes,
  ...httpsEdgeRoutes,
  ...tlsEdgeRoutes,
];
