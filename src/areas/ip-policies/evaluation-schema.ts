// What an IP policy says about an address, in GraphQL. Whether the address gets in is up to the areas that use policies.

import { parseAddress, wordsOf } from '../../domain/ip/cidr.ts';
import { withLists } from '../../domain/ip/range-list.ts';
import { compileRules, denies, noRank } from '../../domain/ip/rule-table.ts';
import { inSequence } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { objectOf } from '../../graphql/kit/column-fields.ts';
import { needs } from '../../graphql/wrappers/rights.ts';
import { whenItMayGoOn } from '../../load/answer-slices.ts';
import { objectsOfLookup, wholePolicyCost } from '../../load/limits.ts';
import { draftPolicyChange } from './draft-store.ts';
import { ipPolicySources } from './source-store.ts';
import { ipPolicyRules } from './store.ts';

/** What the rules of a policy say about an address. */
interface PolicyAnswer {
  readonly passes: boolean;
  /** The rule or source that decides; null if none covers the address. */
  readonly decidingId: string | null;
}

const decidingId = ({ decidingId }: PolicyAnswer) => decidingId;

const IpPolicyEvaluation = builder.objectRef<PolicyAnswer>('IpPolicyEvaluation').implement({
  description: 'What an IP policy says about an address.',
  fields: (t) => ({
    passes: t.exposeBoolean('passes', {
      description: 'Whether the policy allows the address: at least one rule allows it and none denies it.',
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
        'The source whose range decides, where no rule is as specific; otherwise null.',
      ),
    ),
  }),
});

builder.queryField('evaluateIpPolicy', (t) =>
  t.field({
    type: IpPolicyEvaluation,
    nullable: true,
    extensions: needs('ip-policies:read'),
    // All rules are read and compiled.
    complexity: { field: wholePolicyCost },
    description:
      'Returns what an IP policy says about an address, and the rule that decides. Whether the address is actually allowed ' +
      'depends on the IP restrictions that refer to the policy; see `evaluateIp`. NOT_FOUND if the policy does not exist.',
    args: {
      ipPolicyId: t.arg.id({ required: true, description: 'Identifier of the IP policy.' }),
      address: t.arg({ type: 'IpAddress', required: true, description: 'The address.' }),
    },
    resolve: async (_root, { ipPolicyId, address }, context) => {
      const { scope, budget, requestId } = context;
      const words = wordsOf(parseAddress('address', address));
      budget.expectObjects(objectsOfLookup);
      // Count every such field of a document before the first one reads, so that a document with too many reads nothing.
      budget.count(wholePolicyCost);
      const readTable = async () => {
        const { before, listsBefore } = await draftPolicyChange(scope, { ipPolicyId, add: [], remove: [] });
        return withLists(compileRules(before), listsBefore);
      };
      const table = await inSequence(requestId, async () => whenItMayGoOn(context, wholePolicyCost, readTable));
      const rank = table.rankOf(words);
      return { passes: rank !== noRank && !denies(rank), decidingId: table.decidingId(words) };
    },
  }),
);
