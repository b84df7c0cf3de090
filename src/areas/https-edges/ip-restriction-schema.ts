// The IP restriction module of a route in GraphQL.

import { type IpRestrictionMode, ipRestrictionModes } from '../../domain/gate/edge-table.ts';
import { readChoice } from '../../domain/values/decode.ts';
import type { Module } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { collectionUri } from '../../graphql/kit/context.ts';
import { enumValues } from '../../graphql/kit/enum-values.ts';
import {
  loadPolicies,
  loadPolicyRefs,
  policiesDescription,
  policyIdsDescription,
  policyIdsLimit,
  policyRefsDescription,
  usualPolicies,
} from '../../graphql/kit/ip-policy-list.ts';
import { enabledInput } from '../../graphql/kit/module-inputs.ts';
import { Ref } from '../../graphql/kit/reference.ts';
import type { InputBuilder } from '../../graphql/kit/resource.ts';
import { connectionOf } from '../../graphql/lists/connection-types.ts';
import { innerListArgs, innerListPrice, resolveInnerList } from '../../graphql/lists/inner-list.ts';
import { httpsEdgeRoutes, policiesOfRoute, routesOfPolicy } from './collections-store.ts';

const IpRestrictionModeEnum = builder.enumType('IpRestrictionMode', {
  description: 'How the IP restriction module of a route goes together with a login.',
  values: enumValues<IpRestrictionMode>({
    require: 'Every client needs an allowed address. Where the route requires a login, that comes afterwards.',
    suffice:
      'A client with an allowed address passes without a login. Everybody else must log in, and is refused where the route ' +
      'has no login.',
  }),
});

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
    mode: t.field({
      type: IpRestrictionModeEnum,
      description: 'How the module goes together with a login.',
      resolve: ({ mode }) => readChoice(ipRestrictionModes, mode),
    }),
    ipPolicyRefs: t.field({
      type: [Ref],
      description: policyRefsDescription,
      complexity: usualPolicies,
      resolve: ({ routeId }, _args, context) => loadPolicyRefs(policiesOfRoute, routeId, context),
    }),
    ipPolicies: t.field({
      type: ['IpPolicy'],
      description: policiesDescription,
      complexity: usualPolicies,
      resolve: ({ routeId }, _args, context, info) => loadPolicies(policiesOfRoute, routeId, context, info),
    }),
    version: t.int({
      description: 'The version of the route, which also counts changes to its modules.',
      resolve: ({ route }) => route.version,
    }),
  }),
});

builder.prismaObjectField('IpPolicy', 'httpsEdgeRoutes', (t) =>
  t.field({
    type: connectionOf('HttpsEdgeRoute'),
    description: 'The routes of HTTPS edges whose IP restriction module refers to the policy, newest first.',
    args: innerListArgs(t.arg),
    complexity: innerListPrice,
    resolve: ({ id }, args, context, info) => {
      // Routes are listed in REST with their edges.
      const uri = collectionUri(context, 'HttpsEdge');
      const users = { collection: httpsEdgeRoutes, list: routesOfPolicy, cursors: 'HttpsEdgeRoute', uri } as const;
      return resolveInnerList(users, id, args, context, info);
    },
  }),
);

/** Returns the input fields for the settings of the module. */
export function ipRestrictionInput(t: InputBuilder) {
  return {
    ...enabledInput(t),
    mode: t.field({
      type: IpRestrictionModeEnum,
      description: 'How the module goes together with a login; defaults to `require`.',
      extensions: { configured: { default: 'require' } },
    }),
    ipPolicyIds: t.idList({ required: true, description: policyIdsDescription, extensions: policyIdsLimit }),
  };
}
