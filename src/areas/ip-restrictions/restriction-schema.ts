// IP restrictions in GraphQL, and the query that tells whom they allow.

import { keptOnce } from '../../domain/concurrency/kept-with.ts';
import { SallyportError } from '../../domain/errors.ts';
import { parseAddress } from '../../domain/ip/cidr.ts';
import { type RestrictionType, restrictionTypes } from '../../domain/ip/restriction-types.ts';
import { getOrInsertComputed } from '../../domain/values/maps.ts';
import { loadByIds } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { choiceOf, objectOf } from '../../graphql/kit/column-fields.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { decidingNode } from '../../graphql/kit/deciding.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import {
  notePolicies,
  policiesOf,
  policyIdsDescription,
  policyIdsInput,
  policyIdsLimit,
  policyRefsOf,
} from '../../graphql/kit/ip-policy-list.ts';
import { IpRestrictionType } from '../../graphql/kit/ip-restriction-type.ts';
import { createMutation, deleteMutation, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { forceInput } from '../../graphql/kit/resource.ts';
import { searchable } from '../../graphql/kit/search-query.ts';
import { addReferringList } from '../../graphql/lists/referring-list.ts';
import { needs } from '../../graphql/wrappers/rights.ts';
import { searchCost } from '../../load/limits.ts';
import { type Evaluation, prepareEvaluation } from './evaluation-store.ts';
import { refuseLockoutByRestriction } from './lockout-store.ts';
import { type Effect, effectOf } from './rules.ts';
import {
  createIpRestriction,
  ipPolicyRules,
  ipPolicySources,
  ipRestrictions,
  policiesOfRestriction,
  restrictionsOfPolicy,
  updateIpRestriction,
} from './store.ts';
import type { Verdict } from './verdict-store.ts';

const IpRestriction = builder.prismaNode('IpRestriction', {
  ...decidingNode,
  fields: (t) => ({
    type: t.field(
      choiceOf('type', IpRestrictionType, restrictionTypes, 'The type of traffic that the restriction applies to.'),
    ),
    enforced: t.exposeBoolean('enforced', {
      description: 'Whether traffic that the policies do not allow is refused (true) or only causes a warning (false).',
    }),
    ipPolicyRefs: t.field(policyRefsOf(policiesOfRestriction, 'id')),
    ipPolicies: t.field(policiesOf(policiesOfRestriction, 'id')),
  }),
});

addReferringList('IpPolicy', 'restrictions', {
  kind: 'IpRestriction',
  collection: ipRestrictions,
  list: restrictionsOfPolicy,
  description: 'The IP restrictions that refer to the policy, newest first.',
  inRest: 'IpRestriction',
});

const IpRestrictionEffect = enumOf<Effect>(
  'IpRestrictionEffect',
  'What a restriction does with traffic from an address.',
  {
    pass: 'Allows it.',
    warn: 'Allows it with a warning, because the restriction is not enforced.',
    refuse: 'Refuses it.',
  },
);

const decidingId = ({ decidedBy }: Verdict) => decidedBy?.id ?? null;

const IpRestrictionVerdict = builder.objectRef<Verdict>('IpRestrictionVerdict').implement({
  description: 'The verdict of one restriction on an address.',
  fields: (t) => ({
    restriction: t.field({
      type: IpRestriction,
      description: 'The restriction.',
      resolve: async ({ restriction: { id } }, _args, context, info) => {
        const [restriction] = await loadByIds(ipRestrictions, [id], context, info);
        if (restriction !== undefined) return restriction;
        throw new SallyportError(
          'UNAVAILABLE',
          'A restriction was deleted during the evaluation. Retry in a few seconds.',
        );
      },
    }),
    passes: t.exposeBoolean('passes', {
      description:
        'Whether the policies of the restriction allow the address: at least one rule allows it and none denies it.',
    }),
    effect: t.field({
      type: IpRestrictionEffect,
      description: 'What the restriction does with the traffic.',
      resolve: ({ restriction, passes }) => effectOf(restriction.enforced, passes),
    }),
    decidedBy: t.field(
      objectOf(
        decidingId,
        'IpPolicyRule',
        ipPolicyRules,
        'The deciding rule: the most specific rule that denies the address or, if none does, that allows it. Null if no ' +
          'rule covers the address, which is then not allowed.',
      ),
    ),
    decidedBySource: t.field(
      objectOf(
        decidingId,
        'IpPolicySource',
        ipPolicySources,
        'The source of a policy whose range decides, where no rule is as specific; otherwise null.',
      ),
    ),
  }),
});

// One document may ask about many addresses, so the restrictions of a type are prepared once for all of them.
const evaluationsOf = keptOnce((_context: Context) => new Map<RestrictionType, Promise<Evaluation>>());

function evaluationFor(context: Context, type: RestrictionType): Promise<Evaluation> {
  return getOrInsertComputed(evaluationsOf(context), type, () =>
    prepareEvaluation(context.scope, type, context.signal()),
  );
}

/** Number of policies that may be evaluated for the price of one object of an answer. */
const policiesInAUnit = 20;

const IpEvaluation = builder.objectRef<Verdict[]>('IpEvaluation').implement({
  description: 'Whether the restrictions of one type allow an address.',
  fields: (t) => ({
    allowed: t.boolean({
      description: 'Whether the address is allowed: every enforced restriction of the type allows it.',
      resolve: (verdicts) => verdicts.every(({ restriction, passes }) => passes || !restriction.enforced),
    }),
    warned: t.boolean({
      description: 'Whether a restriction that is not enforced would refuse the address if it were.',
      resolve: (verdicts) => verdicts.some(({ restriction, passes }) => !passes && !restriction.enforced),
    }),
    verdicts: t.field({
      type: [IpRestrictionVerdict],
      complexity: { multiplier: 10 },
      description: 'The verdict of each restriction of the type, oldest first.',
      resolve: (verdicts) => verdicts,
    }),
  }),
});

builder.queryField('evaluateIp', (t) =>
  t.field({
    type: IpEvaluation,
    nullable: true,
    extensions: needs('ip-restrictions:read', 'ip-policies:read'),
    // Reads the versions of all restrictions and policies that apply, and evaluates every policy. Their number is charged later.
    complexity: { field: 100 },
    description:
      'Returns whether traffic from an address would be allowed, and why, by the current restrictions. Without a restriction ' +
      'of the given type, everybody is allowed.',
    args: {
      address: t.arg({ type: 'IpAddress', required: true, description: 'The source address of the traffic.' }),
      type: t.arg({ type: IpRestrictionType, required: true, description: 'The type of traffic.' }),
    },
    resolve: async (_root, { address, type }, context) => {
      const parsed = parseAddress('address', address);
      const evaluation = await evaluationFor(context, type);
      context.budget.charge(evaluation.restrictions.length + evaluation.policyCount / policiesInAUnit);
      return evaluation.ask(parsed);
    },
  }),
);

searchable('IpRestriction');

resourceQueries('IpRestriction', IpRestriction, ipRestrictions, {
  one: { name: 'ipRestriction', noun: 'IP restriction' },
  list: {
    name: 'ipRestrictions',
    description: 'The IP restrictions of the account, newest first.',
    filters: (arg) => ({
      type: arg({ type: IpRestrictionType, description: 'Only restrictions of this type.' }),
      enforced: arg.boolean({
        description: 'Only restrictions that refuse traffic, or, if false, only warn about it.',
      }),
    }),
    where: ({ type, enforced }) => ({ ...(type == null ? {} : { type }), ...(enforced == null ? {} : { enforced }) }),
    filterCost: ({ enforced }) => (enforced == null ? 0 : searchCost),
  },
});

const enforcedDescription =
  'Whether to refuse traffic that the policies do not allow (true) or only warn about it (false).';

createMutation('createIpRestriction', IpRestriction, {
  description: 'Creates an IP restriction. Use `evaluateIp` to see who is affected before you enforce it.',
  input: (t) => ({
    type: t.field({
      type: IpRestrictionType,
      required: true,
      description: 'The type of traffic to restrict; cannot be changed later.',
    }),
    ipPolicyIds: t.idList(policyIdsInput),
    enforced: t.boolean({
      description: `${enforcedDescription} Defaults to false.`,
      extensions: { configured: { default: false } },
    }),
    ...forceInput(t),
  }),
  resolve: async (input, { scope, clientAddress, traffic }) => {
    const { type, enforced, ipPolicyIds } = input;
    if (input.force !== true) {
      const change = { type, enforced: enforced ?? false, ipPolicyIds };
      await refuseLockoutByRestriction(scope, { address: clientAddress, traffic }, change);
    }
    return createIpRestriction(scope, input);
  },
});

updateMutation('updateIpRestriction', IpRestriction, {
  description: 'Updates an IP restriction.',
  input: (t) => ({
    enforced: t.boolean({ description: enforcedDescription }),
    ipPolicyIds: t.idList({
      description: `${policyIdsDescription} Replaces the list.`,
      extensions: policyIdsLimit,
    }),
    ...forceInput(t),
  }),
  resolve: async (input, context) => {
    if (input.force !== true) {
      const { scope, clientAddress: address, traffic } = context;
      await refuseLockoutByRestriction(scope, { address, traffic }, input);
    }
    const restriction = await updateIpRestriction(context.scope, input);
    if (input.ipPolicyIds != null) notePolicies(policiesOfRestriction, restriction.id, input.ipPolicyIds, context);
    return restriction;
  },
});

deleteMutation('deleteIpRestriction', {
  description: 'Deletes an IP restriction. Its policies remain.',
  input: forceInput,
  resolve: async ({ id, expectedVersion, force }, { scope, clientAddress: address, traffic }) => {
    // Without this restriction, others may apply to the caller.
    if (force !== true) await refuseLockoutByRestriction(scope, { address, traffic }, { id, enforced: false });
    await ipRestrictions.remove(scope, id, expectedVersion);
  },
});
