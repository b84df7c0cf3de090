// Checks a traffic policy before it is saved, in GraphQL.

import { builder } from '../../graphql/builder.ts';
import { enumValues } from '../../graphql/enum-values.ts';
import { needs } from '../../graphql/rights.ts';
import { whenItMayGoOn } from '../../graphql/slices.ts';
import { PolicyDirection } from './evaluation-schema.ts';
import { readDraft, TlsPolicyDraft } from './policy-schema.ts';
import type { PolicyProblem } from './rules.ts';
import { problemsOfPolicy } from './store.ts';
import { costOfWarnings } from './warning-rules.ts';

/** Maximum number of problems reported. */
const problemsMax = 100;

/** Cost of parsing the expressions of a policy, as saving it does. */
const checkCost = 1_000;
/**
 * Maximum cost counted for warnings, which is enough to make the answer in slices. The full cost for a large policy would exceed
 * the limit of an answer.
 */
const countedMax = 3_000;

const TlsPolicyProblemSeverity = builder.enumType('TlsPolicyProblemSeverity', {
  description: 'Severity of a problem of a traffic policy.',
  values: enumValues<PolicyProblem['severity']>({
    error: 'It keeps the policy from being saved.',
    warning: 'The policy can be saved, but this is most likely a mistake.',
  }),
});

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
      context.budget.count(Math.min(costOfWarnings(draft), countedMax));
      return problemsOfPolicy(context.scope, draft, problemsMax, (cost, work) => whenItMayGoOn(context, cost, work));
    },
  }),
);
