// Checks a traffic policy in GraphQL: one that is not saved yet for all that is wrong with it, a stored one for likely mistakes.

import { builder } from '../../graphql/kit/builder.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import { needs } from '../../graphql/wrappers/rights.ts';
import { whenItMayGoOn } from '../../load/answer-slices.ts';
import { PolicyDirection } from './evaluation-schema.ts';
import { readDraft, rulesOf, TlsPolicyDraft } from './policy-schema.ts';
import { problemsOfPolicy, warningsOfPolicy } from './policy-store.ts';
import type { PolicyProblem, PolicyRules } from './rules.ts';
import { costOfWarnings } from './warning-rules.ts';

const problemsMax = 100;

/** Cost of parsing the expressions of a policy, as saving it does. */
const checkCost = 1_000;
/** Cost of looking for likely mistakes in a usual policy. */
const usualWarningsCost = 200;
/**
 * Maximum cost counted for warnings, which is enough to make the answer in slices. The full cost for a large policy would exceed
 * the limit of an answer.
 */
const countedMax = 3_000;

const TlsPolicyProblemSeverity = enumOf<PolicyProblem['severity']>(
  'TlsPolicyProblemSeverity',
  'Severity of a problem of a traffic policy.',
  {
    error: 'It keeps the policy from being saved.',
    warning: 'The policy can be saved, but this is most likely a mistake.',
  },
);

const TlsPolicyProblem = builder.objectRef<PolicyProblem>('TlsPolicyProblem').implement({
  description: 'What is wrong with a traffic policy.',
  fields: (t) => ({
    severity: t.field({
      type: TlsPolicyProblemSeverity,
      description: 'Whether the problem keeps the policy from being saved.',
      resolve: ({ severity }) => severity,
    }),
    direction: t.field({
      type: PolicyDirection,
      description: 'The direction of the rule.',
      resolve: ({ direction }) => direction,
    }),
    rule: t.exposeInt('rule', {
      nullable: true,
      description: 'Index of the rule in its direction, from 0; null if the direction as a whole is at fault.',
    }),
    expression: t.exposeInt('expression', {
      nullable: true,
      description: 'Index of the expression in its rule, from 0; null if no expression is at fault.',
    }),
    action: t.exposeInt('action', {
      nullable: true,
      description: 'Index of the action in its rule, from 0; null if no action is at fault.',
    }),
    position: t.exposeInt('position', {
      nullable: true,
      description:
        'Offset in the expression at which parsing stopped, from 0, in UTF-16 code units; null if there is none.',
    }),
    field: t.string({
      nullable: true,
      description: 'The field at fault, such as `inbound[0].actions[1].config.allow[3]`.',
      resolve: ({ error }) => error.field,
    }),
    message: t.string({
      description: 'What is wrong with the field, with the message that saving the policy would return.',
      resolve: ({ error }) => error.message,
    }),
  }),
});

/** Counts the search for warnings in a policy; returns how it goes on. */
function countWarnings(context: Context, policy: PolicyRules) {
  context.budget.count(Math.min(costOfWarnings(policy), countedMax));
  return <T>(cost: number, work: () => T) => whenItMayGoOn(context, cost, work);
}

builder.queryField('checkTlsPolicy', (t) =>
  t.field({
    type: [TlsPolicyProblem],
    nullable: true,
    // Needed because the result reveals which IP policies exist.
    extensions: needs('tls-edges:read', 'ip-policies:read'),
    complexity: ({ policy, warnings }) => ({
      field: checkCost + (warnings ? costOfWarnings(readDraft(policy)) : 0),
      multiplier: 10,
    }),
    description:
      `Lists the problems that keep a traffic policy from being saved, in the order of its rules; at most ${problemsMax}. Without ` +
      'warnings, the list is empty if the policy can be saved. Changes nothing.',
    args: {
      policy: t.arg({ type: TlsPolicyDraft, required: true, description: 'The policy.' }),
      warnings: t.arg.boolean({
        required: true,
        defaultValue: false,
        description:
          'Whether to list warnings as well, after all errors: expressions that can be saved but not evaluated for any ' +
          'connection, because they name an unknown variable or function, or mix incompatible types.',
      }),
    },
    resolve: (_root, { policy, warnings }, context) => {
      const draft = readDraft(policy);
      if (!warnings) return problemsOfPolicy(context.scope, draft, problemsMax, null);
      return problemsOfPolicy(context.scope, draft, problemsMax, countWarnings(context, draft));
    },
  }),
);

builder.prismaObjectField('TlsPolicyModule', 'warnings', (t) =>
  t.field({
    type: [TlsPolicyProblem],
    complexity: { field: usualWarningsCost, multiplier: 2 },
    description:
      'Expressions that cannot be evaluated here for any connection, so that their rules never apply: the warnings of ' +
      `\`checkTlsPolicy\` for the stored rules, at most ${problemsMax}.`,
    select: { inbound: true, outbound: true },
    resolve: async (row, _args, context) => {
      const [inbound, outbound] = [await rulesOf(row, row.inbound, context), await rulesOf(row, row.outbound, context)];
      const policy = { inbound, outbound };
      return warningsOfPolicy(policy, problemsMax, countWarnings(context, policy));
    },
  }),
);
