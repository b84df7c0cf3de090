// The route table: one line per area. Also the files that areas serve without an API key.

import { apiKeyRoutes } from '../areas/api-keys/routes.ts';
import { auditEventRoutes, auditEventStreams } from '../areas/audit-events/routes.ts';
import { backendRoutes } from '../areas/backends/routes.ts';
import { httpsEdgePublicFiles } from '../areas/https-edges/public.ts';
import { httpsEdgeRestRoutes } from '../areas/https-edges/routes.ts';
import { ipPolicyRoutes } from '../areas/ip-policies/routes.ts';
import { ipRestrictionRoutes } from '../areas/ip-restrictions/routes.ts';
import { sshPublicFiles } from '../areas/ssh/public.ts';
import { sshRoutes } from '../areas/ssh/routes.ts';
import { sshScripts } from '../areas/ssh/scripts-public.ts';
import { tlsEdgeRoutes } from '../areas/tls-edges/routes.ts';
import type { PublicFile } from '../http/public-files.ts';
import type { Route } from './route.ts';

/** All REST routes except streams. */
export const routes: readonly Route[] = [
  ...apiKeyRoutes,
  ...ipPolicyRoutes,
  ...ipRestrictionRoutes,
  ...sshRoutes,
  ...backendRoutes,
  ...httpsEdgeRestRoutes,
  ...tlsEdgeRoutes,
  ...auditEventRoutes,
];

/** Routes that answer with streams of events. Their documents are subscriptions. */
const streamRoutes: readonly Route[] = auditEventStreams;

/** All routes that are served with an API key. */
export const servedRoutes: readonly Route[] = [...routes, ...streamRoutes];

/** All files that are served without an API key. */
export const publicFiles: readonly PublicFile[] = [...sshPublicFiles, ...sshScripts, ...httpsEdgePublicFiles];
