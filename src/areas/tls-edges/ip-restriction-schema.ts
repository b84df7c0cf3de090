// The IP restriction module of a TLS edge in GraphQL.

import type { Module } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { policiesOf, policyIdsInput, policyRefsOf } from '../../graphql/kit/ip-policy-list.ts';
import { versionOf } from '../../graphql/kit/module-fields.ts';
import type { InputBuilder } from '../../graphql/kit/resource.ts';
import { addReferringList } from '../../graphql/lists/referring-list.ts';
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
    ipPolicyRefs: t.field(policyRefsOf(policiesOfEdge, 'edgeId')),
    ipPolicies: t.field(policiesOf(policiesOfEdge, 'edgeId')),
    version: t.int(versionOf('edge')),
  }),
});

addReferringList('IpPolicy', 'tlsEdges', {
  kind: 'TlsEdge',
  collection: tlsEdges,
  list: edgesOfPolicy,
  description: 'The TLS edges whose IP restriction module refers to the policy, newest first.',
  inRest: 'TlsEdge',
});

/** Returns the input field for the policies of the module. */
export function ipPolicyIdsInput(t: InputBuilder) {
  return { ipPolicyIds: t.idList(policyIdsInput) };
}
