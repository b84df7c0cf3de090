// The GraphQL preview of a change to an IP policy. The areas that use policies add whom the change would affect.

import type { PolicyChange } from '../../domain/ip/restriction-impact.ts';
import { inSequence } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { needs } from '../../graphql/wrappers/rights.ts';
import { whenItMayGoOn } from '../../load/answer-slices.ts';
import { objectsOfLookup, wholePolicyCost } from '../../load/limits.ts';
import { draftPolicyChange } from './draft-store.ts';
import { IpPolicyRuleAction } from './policy-schema.ts';
import { type DraftProblem, rulesMax } from './rules.ts';

const IpPolicyRuleDraft = builder.inputType('IpPolicyRuleDraft', {
  description: 'A rule that has not been added yet.',
  fields: (t) => ({
    cidr: t.field({ type: 'Cidr', required: true, description: 'The address range.' }),
    action: t.field({
      type: IpPolicyRuleAction,
      required: true,
      description: 'What to do with traffic from the range.',
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'When the rule ends; null, the default, for never.' }),
  }),
});

const DraftProblemType = builder.objectRef<DraftProblem>('IpPolicyRuleDraftProblem').implement({
  description: 'Why a rule cannot be added to an IP policy.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Index of the rule in `add`, from 0.' }),
    field: t.exposeString('field', {
      nullable: true,
      description: 'The field of the rule that is wrong, `cidr` or `expiresAt`; null if there are too many rules.',
    }),
    message: t.exposeString('message', { description: 'A sentence that says what is wrong and how to correct it.' }),
  }),
});

type Evaluation = PolicyChange & { readonly problems: readonly DraftProblem[] };

// The IP restrictions area adds a field for the effect on restrictions.
export const IpPolicyChangeEvaluation = builder.objectRef<Evaluation>('IpPolicyChangeEvaluation').implement({
  description: 'What a change to an IP policy would do.',
  fields: (t) => ({
    problems: t.field({
      type: [DraftProblemType],
      complexity: { multiplier: 20 },
      description:
        'The rules that cannot be added, in order, with the reasons. Everything else is evaluated without them.',
      resolve: ({ problems }) => [...problems],
    }),
  }),
});

builder.queryField('evaluateIpPolicyChange', (t) =>
  t.field({
    type: IpPolicyChangeEvaluation,
    nullable: true,
    extensions: needs('ip-policies:read'),
    complexity: { field: wholePolicyCost },
    description:
      'Returns what would happen if rules were added to an IP policy and others removed, without changing anything. NOT_FOUND if the ' +
      'policy does not exist.',
    args: {
      ipPolicyId: t.arg.id({ required: true, description: 'Identifier of the IP policy.' }),
      add: t.arg({
        type: [IpPolicyRuleDraft],
        required: true,
        defaultValue: [],
        description: `The rules to add; at most ${rulesMax}.`,
        extensions: { jsonSchema: { maxItems: rulesMax } },
      }),
      remove: t.arg.idList({
        required: true,
        defaultValue: [],
        description: `Identifiers of the rules to remove; at most ${rulesMax}.`,
        extensions: { jsonSchema: { maxItems: rulesMax } },
      }),
    },
    resolve: (_root, change, context) => {
      const { scope, budget, requestId } = context;
      budget.expectObjects(objectsOfLookup);
      // Count every such field of a document before the first one reads, so that a document with too many reads nothing.
      budget.count(wholePolicyCost);
      return inSequence(requestId, async () =>
        whenItMayGoOn(context, wholePolicyCost, () => draftPolicyChange(scope, change)),
      );
    },
  }),
);
