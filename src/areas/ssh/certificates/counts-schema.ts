// Counts of host certificates by the days until they expire, in GraphQL.

import { batched, inSequence, slices } from '../../../graphql/kit/batch.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { needsTo } from '../../../graphql/wrappers/rights.ts';
import { breathe, paceOf } from '../../../load/answer-slices.ts';
import { countCost, innerListCost } from '../../../load/limits.ts';
import { daysLeftRanges } from '../rules.ts';
import { type CountsByDaysLeft, countCertificates, countCertificatesOf } from './counts-store.ts';

const SshHostCertificateRange = builder.objectRef<CountsByDaysLeft[number]>('SshHostCertificateRange').implement({
  description: 'How many host certificates expire in a range of days.',
  fields: (t) => ({
    daysLeft: t.exposeString('daysLeft', {
      description: `The days until they expire: ${daysLeftRanges.map(({ label }) => `\`${label}\``).join(', ')}.`,
    }),
    count: t.exposeInt('count', { description: 'The number of certificates.' }),
  }),
});

const SshHostCertificateCounts = builder.objectRef<CountsByDaysLeft>('SshHostCertificateCounts').implement({
  description: 'How many host certificates expire in which period, not counting those replaced by a renewal.',
  fields: (t) => ({
    total: t.int({
      description: 'The number of certificates in all ranges.',
      resolve: (counts) => counts.reduce((sum, { count }) => sum + count, 0),
    }),
    ranges: t.field({
      type: [SshHostCertificateRange],
      description: 'The number of certificates in each range, starting with expired ones.',
      complexity: { field: 1, multiplier: daysLeftRanges.length },
      resolve: (counts) => [...counts],
    }),
  }),
});

const authoritiesAtOnce = 20;

/** Cost of counting: each range is counted along an index. */
const countsCost = { field: countCost * daysLeftRanges.length, multiplier: 1 };

builder.queryField('sshHostCertificateCounts', (t) =>
  t.field({
    type: SshHostCertificateCounts,
    nullable: true,
    description: 'How many host certificates of the account expire in which period.',
    extensions: needsTo('read', 'SshHostCertificate'),
    complexity: countsCost,
    resolve: (_root, _args, context) => {
      const { requestId, scope } = context;
      const load = async (accountIds: readonly string[]) => {
        const counts = await inSequence(requestId, () => countCertificates(scope, paceOf(context)));
        return accountIds.map(() => counts);
      };
      return batched(context, 'counts of all host certificates', load).load(scope.accountId);
    },
  }),
);

builder.prismaObjectField('SshCertificateAuthority', 'hostCertificateCounts', (t) =>
  t.field({
    type: SshHostCertificateCounts,
    description: 'How many host certificates of the authority expire in which period.',
    complexity: { field: countCost + innerListCost, multiplier: 1 },
    resolve: ({ id }, _args, context) => {
      const { requestId, scope } = context;
      const load = async (ids: readonly string[]) => {
        const counts: CountsByDaysLeft[] = [];
        for (const some of slices(ids, authoritiesAtOnce)) {
          await breathe(context);
          counts.push(...(await inSequence(requestId, () => countCertificatesOf(scope, some, paceOf(context)))));
        }
        return counts;
      };
      return batched(context, 'counts of host certificates', load).load(id);
    },
  }),
);
