// The IP restriction module of a route in GraphQL.

import { type IpRestrictionMode, ipRestrictionModes } from '../../domain/gate/edge-table.ts';
import type { Module } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { choiceOf } from '../../graphql/kit/column-fields.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import { policiesOf, policyIdsInput, policyRefsOf } from '../../graphql/kit/ip-policy-list.ts';
import { versionOf } from '../../graphql/kit/module-fields.ts';
import { enabledInput } from '../../graphql/kit/module-inputs.ts';
import type { InputBuilder } from '../../graphql/kit/resource.ts';
import { addReferringList } from '../../graphql/lists/referring-list.ts';
import { httpsEdgeRoutes, policiesOfRoute, routesOfPolicy } from './collections-store.ts';

const IpRestrictionModeEnum = enumOf<IpRestrictionMode>(
  'IpRestrictionMode',
  'How the IP restriction module of a route goes together with a login.',
  {
    require: 'Every client needs an allowed address. Where the route requires a login, that comes afterwards.',
    suffice:
      'A client with an allowed address passes without a login. Everybody else must log in, and is refused where the route ' +
      'has no login.',
  },
);

export const ipRestrictionModule = {
  model: 'HttpsIpRestrictionModule',
  name: 'ipRestriction',
  key: 'routeId',
  columns: ['routeId', 'enabled', 'mode'],
  large: [],
} as const satisfies Module<'HttpsIpRestrictionModule'>;

export const HttpsIpRestrictionModule = builder.prismaObject('HttpsIpRestrictionModule', {
  include: { route: true },
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled'),
    mode: t.field(
      choiceOf('mode', IpRestrictionModeEnum, ipRestrictionModes, 'How the module goes together with a login.'),
    ),
    ipPolicyRefs: t.field(policyRefsOf(policiesOfRoute, 'routeId')),
    ipPolicies: t.field(policiesOf(policiesOfRoute, 'routeId')),
    version: t.int(versionOf('route')),
  }),
});

addReferringList('IpPolicy', 'httpsEdgeRoutes', {
  kind: 'HttpsEdgeRoute',
  collection: httpsEdgeRoutes,
  list: routesOfPolicy,
  description: 'The routes of HTTPS edges whose IP restriction module refers to the policy, newest first.',
  inRest: 'HttpsEdge',
});

/** Returns the input fields for the settings of the module. */
export function ipRestrictionInput(t: InputBuilder) {
  return {
    ...enabledInput(t),
    mode: t.field({
      type: IpRestrictionModeEnum,
      description: 'How the module goes together with a login; defaults to `require`.',
      extensions: { configured: { default: 'require' } },
    }),
    ipPolicyIds: t.idList(policyIdsInput),
  };
}
