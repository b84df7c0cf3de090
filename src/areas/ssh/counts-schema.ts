// Counts of host certificates by the days until they expire, in GraphQL.

import { batched, inSequence } from '../../graphql/batch.ts';
import { builder } from '../../graphql/builder.ts';
import { countCost, innerListCost } from '../../graphql/limits.ts';
import { needsTo } from '../../graphql/rights.ts';
import { type CountsByDaysLeft, countCertificates, countCertificatesOf } from './counts-store.ts';
import { daysLeftRanges } from './rules.ts';

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

/** Cost of counting: each range is counted along an index. */
const countsCost = { field: countCost * daysLeftRanges.length, multiplier: 1 };

builder.queryField('sshHostCertificateCounts', (t) =>
  t.field({
    type: SshHostCertificateCounts,
    nullable: true,
    description: 'How many host certificates of the account expire in which period.',
    extensions: needsTo('read', 'SshHostCertificate'),
    complexity: countsCost,
    resolve: (_root, _args, { requestId, scope }) => inSequence(requestId, () => countCertificates(scope)),
  }),
);

builder.prismaObjectField('SshCertificateAuthority', 'hostCertificateCounts', (t) =>
  t.field({
    type: SshHostCertificateCounts,
    description: 'How many host certificates of the authority expire in which period.',
    complexity: { field: countCost + innerListCost, multiplier: 1 },
    resolve: ({ id }, _args, context) => {
      const { requestId, scope } = context;
      const load = (ids: readonly string[]) => inSequence(requestId, () => countCertificatesOf(scope, ids));
      return batched(context, 'counts of host certificates', load).load(id);
    },
  }),
);
