// The IP restriction module of a TLS edge in GraphQL.

import type { Module } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { collectionUri } from '../../graphql/kit/context.ts';
import {
  loadPolicies,
  loadPolicyRefs,
  policiesDescription,
  policyIdsDescription,
  policyIdsLimit,
  policyRefsDescription,
  usualPolicies,
} from '../../graphql/kit/ip-policy-list.ts';
import { Ref } from '../../graphql/kit/reference.ts';
import type { InputBuilder } from '../../graphql/kit/resource.ts';
import { connectionOf } from '../../graphql/lists/connection-types.ts';
import { innerListArgs, innerListPrice, resolveInnerList } from '../../graphql/lists/inner-list.ts';
import { edgesOfPolicy, policiesOfEdge, tlsEdges } from './store.ts';

export const ipRestrictionModule = {
  model: 'TlsIpRestrictionModule',
  name: 'ipRestriction',
  key: 'edgeId',
  columns: ['edgeId', 'enabled'],
  large: [],
} as const satisfies Module<'TlsIpRestrictionModule'>;

export const TlsIpRestrictionModule = builder.prismaObject('TlsIpRestrictionModule', {
  include: { edge: true },
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled'),
    ipPolicyRefs: t.field({
      type: [Ref],
      description: policyRefsDescription,
      complexity: usualPolicies,
      resolve: ({ edgeId }, _args, context) => loadPolicyRefs(policiesOfEdge, edgeId, context),
    }),
    ipPolicies: t.field({
      type: ['IpPolicy'],
      description: policiesDescription,
      complexity: usualPolicies,
      resolve: ({ edgeId }, _args, context, info) => loadPolicies(policiesOfEdge, edgeId, context, info),
    }),
    version: t.int({
      description: 'The version of the edge, which also counts changes to its modules.',
      resolve: ({ edge }) => edge.version,
    }),
  }),
});

builder.prismaObjectField('IpPolicy', 'tlsEdges', (t) =>
  t.field({
    type: connectionOf('TlsEdge'),
    description: 'The TLS edges whose IP restriction module refers to the policy, newest first.',
    args: innerListArgs(t.arg),
    complexity: innerListPrice,
    resolve: ({ id }, args, context, info) => {
      const uri = collectionUri(context, 'TlsEdge');
      const users = { collection: tlsEdges, list: edgesOfPolicy, cursors: 'TlsEdge', uri } as const;
      return resolveInnerList(users, id, args, context, info);
    },
  }),
);

/** Returns the input field for the policies of the module. */
export function ipPolicyIdsInput(t: InputBuilder) {
  return { ipPolicyIds: t.idList({ required: true, description: policyIdsDescription, extensions: policyIdsLimit }) };
}
