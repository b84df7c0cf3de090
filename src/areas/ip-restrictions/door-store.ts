// The doors of an account: the routes of HTTPS edges and the TLS edges whose IP restriction module refers to IP policies.

import { groupBy } from '../../domain/values/maps.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { type InnerList, newestFirst } from '../../storage/objects/inner-lists.ts';

/** A door, as far as it decides about addresses. */
export interface Door {
  /** The id of the route or the TLS edge. */
  readonly doorId: string;
  /** Whether its module is applied to traffic. */
  readonly enabled: boolean;
  readonly mode: string;
  /** The policies of its module, some of which may have been deleted. */
  readonly ipPolicyIds: readonly string[];
}

export interface Doors {
  /** Those whose module refers to a policy, newest first. */
  readonly ofPolicy: InnerList;
  /** Reads doors with the policies of their modules, up to 200 each; in no particular order. */
  readonly read: (scope: AccountView, ids: readonly string[]) => Promise<Door[]>;
}

export const httpsEdgeRoutes: Doors = {
  ofPolicy: newestFirst('HttpsIpRestrictionPolicy', 'ipPolicyId', 'routeId'),
  async read({ rows }, ids) {
    const modules = await rows.pick('HttpsIpRestrictionModule', ['routeId', 'enabled', 'mode'], 'routeId', ids);
    const refs = await rows.pick('HttpsIpRestrictionPolicy', ['routeId', 'ipPolicyId'], 'routeId', ids);
    const refsOf = groupBy(refs, ({ routeId }) => routeId);
    return modules.map(({ routeId, enabled, mode }) => ({
      doorId: routeId,
      enabled,
      mode,
      ...listed(refsOf.get(routeId)),
    }));
  },
};

export const tlsEdges: Doors = {
  ofPolicy: newestFirst('TlsIpRestrictionPolicy', 'ipPolicyId', 'edgeId'),
  async read({ rows }, ids) {
    const modules = await rows.pick('TlsIpRestrictionModule', ['edgeId', 'enabled'], 'edgeId', ids);
    const refs = await rows.pick('TlsIpRestrictionPolicy', ['edgeId', 'ipPolicyId'], 'edgeId', ids);
    const refsOf = groupBy(refs, ({ edgeId }) => edgeId);
    return modules.map(({ edgeId, enabled }) => ({
      doorId: edgeId,
      enabled,
      mode: 'require',
      ...listed(refsOf.get(edgeId)),
    }));
  },
};

function listed(refs: readonly { readonly ipPolicyId: string }[] = []) {
  return { ipPolicyIds: refs.map(({ ipPolicyId }) => ipPolicyId) };
}
