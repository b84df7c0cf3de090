// The host certificates that are revoked, in GraphQL, and where clients get the list of them.

import { isIdOf } from '../../domain/ids.ts';
import { lastMs } from '../../domain/time.ts';
import { inSequence } from '../../graphql/batch.ts';
import { builder } from '../../graphql/builder.ts';
import { pageInfo, pageSize, referenceFilter } from '../../graphql/connection.ts';
import { pagePrice, pageSizeMax } from '../../graphql/limits.ts';
import { noCursor } from '../../graphql/list-order.ts';
import { nextPageUri, restQuery } from '../../graphql/next-page.ts';
import { needsTo } from '../../graphql/rights.ts';
import { countRevocations, type RevocationCursor, revocationPage, type SshRevocation } from './revocation-store.ts';
import { accountRevocationListUrl } from './rules.ts';

const SshRevocationType = builder.objectRef<SshRevocation>('SshRevocation').implement({
  description:
    'A host certificate that was deleted, and is revoked until it would have expired: it is on the revocation lists.',
  fields: (t) => ({
    sshCertificateAuthorityId: t.exposeID('sshCertificateAuthorityId', {
      description: 'Identifier of the authority that signed the certificate; it may be deleted.',
    }),
    serial: t.string({
      description: 'The serial number in decimal digits.',
      resolve: ({ serial }) => serial.toString(),
    }),
    sshHostCertificateId: t.exposeID('sshHostCertificateId', {
      nullable: true,
      description:
        'Identifier that the certificate had, by which its events are found; null if it was deleted before that was kept.',
    }),
    validUntil: t.expose('validUntil', { type: 'DateTime', description: 'When the certificate would have expired.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', description: 'When the certificate was deleted.' }),
  }),
});

const readable = needsTo('read', 'SshHostCertificate');

builder.queryField('sshRevocations', (t) =>
  t.connection(
    {
      type: SshRevocationType,
      nullable: true,
      description: 'The host certificates of the account that are revoked, the latest first.',
      extensions: readable,
      args: {
        sshCertificateAuthorityId: t.arg.id({
          description: 'Only certificates signed by this authority, which may be deleted.',
        }),
      },
      complexity: ({ first, last }) => pagePrice(first ?? last ?? pageSizeMax),
      resolve: async (_root, { sshCertificateAuthorityId, ...args }, { scope, budget, baseUrl, requestId }) => {
        const size = pageSize(args);
        const [after, before] = [readCursor('after', args.after), readCursor('before', args.before)];
        const filter = referenceFilter(
          'sshCertificateAuthorityId',
          'SshCertificateAuthority',
          sshCertificateAuthorityId,
        );
        budget.expectObjects(size.take);
        const { rows, more } = await inSequence(requestId, () =>
          revocationPage(scope, { ...size, after, before }, filter),
        );
        const edges = rows.map((node) => ({ cursor: cursorOf(node), node }));
        const place = pageInfo(args, size, edges, more);
        const uri = `${baseUrl}/ssh_revocations`;
        return {
          edges,
          pageInfo: place,
          totalCount: () => inSequence(requestId, () => countRevocations(scope, filter)),
          uri,
          nextPageUri: nextPageUri(uri, args, size, place, restQuery({ sshCertificateAuthorityId })),
        };
      },
    },
    { name: 'SshRevocationConnection', description: 'A page of a list.', extensions: readable },
    { name: 'SshRevocationEdge', description: 'An object of a list, with its cursor.', extensions: readable },
  ),
);

function cursorOf({ revokedAt, sshCertificateAuthorityId, serial }: RevocationCursor): string {
  return `${revokedAt.getTime()}.${sshCertificateAuthorityId}.${serial}`;
}

/** Reads a cursor of a page before. Throws INVALID_INPUT. */
function readCursor(field: string, text: string | null | undefined): RevocationCursor | undefined {
  if (text == null) return undefined;
  const [, ms, sshCertificateAuthorityId = '', digits = ''] = /^(\d{1,15})\.(\w+)\.(\d{1,19})$/.exec(text) ?? [];
  const serial = BigInt(digits);
  const isPlace = isIdOf('SshCertificateAuthority', sshCertificateAuthorityId) && serial < 2n ** 63n;
  if (!isPlace || Number(ms) > lastMs) throw noCursor(field);
  return { revokedAt: new Date(Number(ms)), sshCertificateAuthorityId, serial };
}

builder.prismaObjectField('Account', 'sshRevocationListUrl', (t) =>
  t.string({
    description:
      'URL of the key revocation list (KRL) of all certificate authorities that the account has or had, in one file, for ' +
      '`RevokedHostKeys`. It requires no API key.',
    resolve: ({ id }, _args, { baseUrl }) => accountRevocationListUrl(baseUrl, id),
  }),
);
