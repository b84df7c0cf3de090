// What the login pages of both protocols say of a login: whether its edge is still there, and what leads on from a refusal.

import type { EdgeTable } from '../../domain/gate/edge-table.ts';
import type { BegunLogin, LoginModule } from '../../domain/gate/login.ts';
import { originOf } from '../../domain/gate/url.ts';
import { LoginRefusal, refusalReasons } from '../../domain/saml/refusal.ts';
import { refusalHeaders } from '../kit/visitor-page.ts';
import { againUrl, hostOf, startOf } from './own-paths.ts';
import type { Known, PageKind } from './saml-pages.ts';

/** How login pages report what went wrong. */
export const loginPage: PageKind = {
  event: 'login',
  headers: refusalHeaders,
  refusal: (reason) => ({ title: 'Access denied', text: refusalReasons[reason] }),
};

/**
 * Finds the edge of a module that is in use, and notes what leads on from a refusal.
 *
 * @param protocol what the module is called
 * @throws LoginRefusal
 */
export async function findUsableEdge(
  findEdge: (edgeId: string) => Promise<EdgeTable | null>,
  protocol: 'SAML' | 'OpenID Connect',
  { edgeId, routeId, enabled }: Pick<LoginModule, 'edgeId' | 'routeId' | 'enabled'>,
  known: Known,
): Promise<EdgeTable> {
  const edge = await findEdge(edgeId);
  const [host, route] = [edge && hostOf(edge), edge?.routeById(routeId) ?? null];
  known.link = host === null || route === null ? null : { href: originOf(host) + startOf(route), text: 'Log in again' };
  if (edge === null) throw new LoginRefusal('host', 'The edge is gone.');
  if (!enabled) throw new LoginRefusal('disabled', `The ${protocol} module is disabled.`);
  return edge;
}

/** Notes where a login has begun, and what leads back to there. Throws LoginRefusal. */
export function noteBegun(edge: EdgeTable, { host, browserHash, target }: BegunLogin, known: Known): void {
  known.host = host;
  if (!edge.hasHost(host)) throw new LoginRefusal('host', `The edge does not serve ${host} any more.`);
  if (browserHash !== null) known.link = { href: againUrl(host, browserHash), text: 'Log in again' };
  else if (target !== '') known.link = { href: originOf(host) + target, text: 'Log in again' };
}
