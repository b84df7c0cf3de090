// IP restrictions in GraphQL, and the question whom they let pass.

import { parseAddress } from '../../domain/cidr.ts';
import { readChoice } from '../../domain/decode.ts';
import { SallyportError } from '../../domain/errors.ts';
import { loadByIds, loadInnerIds, loadInnerList } from '../../graphql/batch.ts';
import { builder } from '../../graphql/builder.ts';
import { bounded, connectionTypes, resolveList } from '../../graphql/connection.ts';
import type { Context } from '../../graphql/context.ts';
import { innerListCost } from '../../graphql/limits.ts';
import { Ref } from '../../graphql/reference.ts';
import { addressInput, deleteMutation, notesInput, Resource } from '../../graphql/resource.ts';
import { selectionOf } from '../../graphql/selection.ts';
import { type Effect, effectOf, policiesMax, type RestrictionType, restrictionTypes } from './rules.ts';
import {
  createIpRestriction,
  type Evaluation,
  ipPolicies,
  ipPolicyRules,
  ipRestrictions,
  policiesOfRestriction,
  prepareEvaluation,
  restrictionsOfPolicy,
  updateIpRestriction,
  type Verdict,
} from './store.ts';

const IpRestrictionType = builder.enumType('IpRestrictionType', {
  description: 'What traffic a restriction applies to.',
  values: {
    dashboard: { value: 'dashboard', description: 'Logins to the dashboard.' },
    api: { value: 'api', description: 'Requests to the management API.' },
    agent: { value: 'agent', description: 'Sessions of agents.' },
    endpoints: { value: 'endpoints', description: 'Public traffic to the endpoints.' },
  } satisfies { [T in RestrictionType]: { value: T; description: string } },
});

// A restriction may have many policies (`policiesMax`), and has few; what is really loaded is counted.
const usualPolicies = { field: innerListCost, multiplier: 5 };

const IpRestriction = builder.prismaNode('IpRestriction', {
  id: { field: 'id' },
  nullable: true,
  interfaces: [Resource],
  fields: (t) => ({
    type: t.field({
      type: IpRestrictionType,
      description: 'What traffic the restriction applies to.',
      resolve: ({ type }) => readChoice(restrictionTypes, type),
    }),
    enforced: t.exposeBoolean('enforced'),
    ipPolicyRefs: t.field({
      type: [Ref],
      description: 'References to the policies, in the order given. They stay when a policy is deleted.',
      complexity: usualPolicies,
      resolve: async ({ id }, _args, context) => {
        const ids = await loadInnerIds(policiesOfRestriction, id, policiesMax, context);
        return ids.map((policyId) => ({ id: policyId }));
      },
    }),
    ipPolicies: t.field({
      type: ['IpPolicy'],
      description: 'The policies that still exist, in the order given. A deleted one counts as one with zero rules.',
      complexity: usualPolicies,
      resolve: ({ id }, _args, context, info) =>
        loadInnerList(ipPolicies, policiesOfRestriction, id, policiesMax, context, info),
    }),
  }),
});

builder.prismaObjectField('IpPolicy', 'restrictions', (t) =>
  t.field({
    type: [IpRestriction],
    description: 'The newest IP restrictions that refer to the policy.',
    args: { first: t.arg.int({ description: bounded.description, defaultValue: bounded.defaultValue }) },
    complexity: bounded.complexity,
    resolve: ({ id }, { first }, context, info) => {
      return loadInnerList(ipRestrictions, restrictionsOfPolicy, id, bounded.take(first), context, info);
    },
  }),
);

const IpRestrictionEffect = builder.enumType('IpRestrictionEffect', {
  description: 'What a restriction does with traffic from an address.',
  values: {
    pass: { value: 'pass', description: 'Lets it pass.' },
    warn: { value: 'warn', description: 'Lets it pass with a warning, because the restriction is not enforced.' },
    refuse: { value: 'refuse', description: 'Refuses it.' },
  } satisfies { [E in Effect]: { value: E; description: string } },
});

const IpRestrictionVerdict = builder.objectRef<Verdict>('IpRestrictionVerdict').implement({
  description: 'What one restriction says of an address.',
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
      description: 'Whether the policies of the restriction allow the address: at least one rule allows, none denies.',
    }),
    effect: t.field({
      type: IpRestrictionEffect,
      description: 'What the restriction does with the traffic.',
      resolve: ({ restriction, passes }) => effectOf(restriction.enforced, passes),
    }),
    decidedBy: t.field({
      type: 'IpPolicyRule',
      nullable: true,
      description:
        'The rule that decides: the most specific one that denies the address or, if none does, that allows it. ' +
        'Null when no rule speaks of the address, which keeps it out.',
      resolve: async ({ decidedBy }, _args, context, info) => {
        if (decidedBy === null) return null;
        const [rule] = await loadByIds(ipPolicyRules, [decidedBy.id], context, info);
        return rule;
      },
    }),
  }),
});

// One document may ask about many addresses: the restrictions of a type are got ready once for all of them.
const evaluationsOf = new WeakMap<Context, Map<RestrictionType, Promise<Evaluation>>>();

function evaluationFor(context: Context, type: RestrictionType): Promise<Evaluation> {
  const evaluations = evaluationsOf.get(context) ?? new Map<RestrictionType, Promise<Evaluation>>();
  evaluationsOf.set(context, evaluations);
  const evaluation = evaluations.get(type) ?? prepareEvaluation(context.scope, type, context.signal);
  evaluations.set(type, evaluation);
  return evaluation;
}

/** How many policies may be looked at for the price of one object of an answer. */
const policiesInAUnit = 20;

const IpEvaluation = builder.objectRef<Verdict[]>('IpEvaluation').implement({
  description: 'Whether the restrictions of one type let an address pass.',
  fields: (t) => ({
    allowed: t.boolean({
      description: 'Whether the address gets in: every enforced restriction of the type lets it pass.',
      resolve: (verdicts) => verdicts.every(({ restriction, passes }) => passes || !restriction.enforced),
    }),
    warned: t.boolean({
      description: 'Whether a restriction that is not enforced would refuse the address, were it enforced.',
      resolve: (verdicts) => verdicts.some(({ restriction, passes }) => !passes && !restriction.enforced),
    }),
    verdicts: t.field({
      type: [IpRestrictionVerdict],
      complexity: { multiplier: 10 },
      description: 'What each restriction of the type says, oldest first.',
      resolve: (verdicts) => verdicts,
    }),
  }),
});

builder.queryFields((t) => ({
  ipRestriction: t.field({
    type: IpRestriction,
    description: 'One IP restriction. NOT_FOUND when there is none with this identifier.',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the restriction.' }) },
    resolve: (_root, { id }, context, info) => ipRestrictions.get(context.scope, id, selectionOf(context, info)),
  }),
  ipRestrictions: t.connection(
    {
      type: IpRestriction,
      description: 'The IP restrictions of the account, newest first.',
      args: { type: t.arg({ type: IpRestrictionType, description: 'Lists only the restrictions of this type.' }) },
      resolve: (_root, { type, ...args }, context, info) =>
        resolveList('IpRestriction', ipRestrictions, type == null ? {} : { type }, args, context, info),
    },
    ...connectionTypes('IpRestriction'),
  ),
  evaluateIp: t.field({
    type: IpEvaluation,
    // It reads the versions of all that applies, and looks at every policy; their number is counted once it is known.
    complexity: { field: 100 },
    description:
      'Tells whether traffic of a type from an address would get in, and why, from the restrictions as they are now. ' +
      'Without a restriction of the type everybody gets in.',
    args: {
      address: t.arg({ type: 'IpAddress', required: true, description: 'The address that the traffic comes from.' }),
      type: t.arg({ type: IpRestrictionType, required: true, description: 'What kind of traffic it is.' }),
    },
    resolve: async (_root, { address, type }, context) => {
      const parsed = parseAddress('address', address);
      const evaluation = await evaluationFor(context, type);
      context.budget.charge(evaluation.restrictionCount + evaluation.policyCount / policiesInAUnit);
      return evaluation.ask(parsed);
    },
  }),
}));

builder.relayMutationField(
  'createIpRestriction',
  {
    description: 'A new IP restriction.',
    inputFields: (t) => ({
      type: t.field({
        type: IpRestrictionType,
        required: true,
        description: 'What traffic to restrict; it cannot be changed later.',
      }),
      ipPolicyIds: t.idList({
        required: true,
        description: `The policies that decide, in order; 1 to ${policiesMax}.`,
        extensions: { jsonSchema: { maxItems: policiesMax } },
      }),
      enforced: t.boolean({ description: 'Whether to refuse traffic (true) or only to warn (false, the default).' }),
      ...notesInput(t),
    }),
  },
  {
    description: 'Creates an IP restriction. Ask `evaluateIp` first whom it would keep out.',
    resolve: (_root, { input }, { scope }) => createIpRestriction(scope, input),
  },
  {
    description: 'What was created.',
    outputFields: (t) => ({
      ipRestriction: t.field({ type: IpRestriction, description: 'The new restriction.', resolve: (row) => row }),
    }),
  },
);

builder.relayMutationField(
  'updateIpRestriction',
  {
    description: 'A change to an IP restriction. What is left out keeps its value.',
    inputFields: (t) => ({
      ...addressInput(t),
      enforced: t.boolean({ description: 'Whether to refuse traffic (true) or only to warn (false).' }),
      ipPolicyIds: t.idList({
        description: `The policies that decide, in order; 1 to ${policiesMax}. They replace the list.`,
        extensions: { jsonSchema: { maxItems: policiesMax } },
      }),
      ...notesInput(t),
    }),
  },
  {
    description: 'Changes an IP restriction.',
    resolve: (_root, { input }, context, info) =>
      updateIpRestriction(context.scope, input, selectionOf(context, info, ['ipRestriction'])),
  },
  {
    description: 'What was changed.',
    outputFields: (t) => ({
      ipRestriction: t.field({
        type: IpRestriction,
        description: 'The restriction as it is now.',
        resolve: (row) => row,
      }),
    }),
  },
);

deleteMutation('IpRestriction', 'Deletes an IP restriction. Its policies stay.', ipRestrictions.remove);
