// Revoked host certificates in GraphQL, and the URL where clients get the list of them.

import { isIdOf } from '../../../domain/values/ids.ts';
import { lastMs } from '../../../domain/values/time.ts';
import { batched, inSequence } from '../../../graphql/kit/batch.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import type { Context } from '../../../graphql/kit/context.ts';
import { enumOf } from '../../../graphql/kit/enum-values.ts';
import { checkSearchedText, searchedTextLength } from '../../../graphql/kit/search-query.ts';
import { referenceFilter } from '../../../graphql/lists/connection.ts';
import { isAsInRest, orderByArg } from '../../../graphql/lists/finding.ts';
import { noCursor, otherOrder } from '../../../graphql/lists/list-order.ts';
import { nextPageUri, pageInfo, pageSize, restQuery } from '../../../graphql/lists/page.ts';
import { needsTo } from '../../../graphql/wrappers/rights.ts';
import { breathe, paceOf } from '../../../load/answer-slices.ts';
import { pagePrice, pageSizeMax } from '../../../load/limits.ts';
import { accountRevocationListUrl } from '../rules.ts';
import {
  countRevocations,
  type RevocationFilter,
  type RevocationOrder,
  type RevocationPosition,
  revocationPage,
  type SshRevocation,
  serialsEnd,
} from './revocation-store.ts';

const SshRevocationType = builder.objectRef<SshRevocation>('SshRevocation').implement({
  description: 'A deleted host certificate. It is on the revocation lists until it would have expired.',
  fields: (t) => ({
    sshCertificateAuthorityId: t.exposeID('sshCertificateAuthorityId', {
      description: 'Identifier of the authority that signed the certificate, which may have been deleted.',
    }),
    serial: t.string({
      description: 'The serial number in decimal digits.',
      resolve: ({ serial }) => serial.toString(),
    }),
    sshHostCertificateId: t.exposeID('sshHostCertificateId', {
      nullable: true,
      description:
        'Former identifier of the certificate, by which its audit events can be found; null for deletions that predate this field.',
    }),
    validUntil: t.expose('validUntil', { type: 'DateTime', description: 'When the certificate would have expired.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', description: 'When the certificate was deleted.' }),
  }),
});

/** An order, and the mark that its cursors carry besides the position. */
interface MarkedOrder extends RevocationOrder {
  readonly mark: string | undefined;
}

const latestFirst: MarkedOrder = { column: 'revokedAt', ascending: false, mark: undefined };

const revocationOrders: Readonly<Record<string, MarkedOrder>> = {
  revoked_at_desc: latestFirst,
  revoked_at_asc: { column: 'revokedAt', ascending: true, mark: 'revoked_at_asc' },
  valid_until_desc: { column: 'validUntil', ascending: false, mark: 'valid_until_desc' },
  valid_until_asc: { column: 'validUntil', ascending: true, mark: 'valid_until_asc' },
};

const SshRevocationOrder = enumOf('SshRevocationOrder', 'The order of a list of revoked host certificates.', {
  revoked_at_desc: 'By the time of revocation, latest first.',
  revoked_at_asc: 'By the time of revocation, earliest first.',
  valid_until_desc: 'By the time of expiry, latest first.',
  valid_until_asc: 'By the time of expiry, earliest first: the next to leave the list come first.',
});

const readable = needsTo('read', 'SshHostCertificate');

builder.queryField('sshRevocations', (t) =>
  t.connection(
    {
      type: SshRevocationType,
      nullable: true,
      description: 'The revoked host certificates of the account, latest first.',
      extensions: readable,
      args: {
        sshCertificateAuthorityId: t.arg.id({
          description: 'Only certificates signed by this authority, which may be deleted.',
        }),
        orderBy: orderByArg(t.arg, { type: SshRevocationOrder }),
        search: t.arg.string({
          description:
            'Only certificates with exactly this serial number or identifier, or whose authority had this identifier. All revocations ' +
            'are searched.',
          extensions: { jsonSchema: searchedTextLength },
        }),
      },
      complexity: ({ first, last }) => pagePrice(first ?? last ?? pageSizeMax),
      resolve: async (_root, args, context) => {
        const { scope, budget, baseUrl, requestId } = context;
        const { sshCertificateAuthorityId, orderBy, search } = args;
        const size = pageSize(args);
        const order = (orderBy == null ? undefined : revocationOrders[orderBy]) ?? latestFirst;
        const [after, before] = [readPosition(order, 'after', args.after), readPosition(order, 'before', args.before)];
        const filter = {
          ...referenceFilter('sshCertificateAuthorityId', 'SshCertificateAuthority', sshCertificateAuthorityId),
          ...(search == null ? {} : { search: checkSearchedText('search', search) }),
        };
        budget.expectObjects(size.take);
        const { rows, more } = await inSequence(requestId, () =>
          revocationPage(scope, order, { ...size, after, before }, filter),
        );
        const edges = rows.map((node) => ({ cursor: cursorOf(order, node), node }));
        const page = pageInfo(args, size, edges, more);
        const uri = `${baseUrl}/ssh_revocations`;
        return {
          edges,
          pageInfo: page,
          totalCount: () => countOnce(filter, context),
          uri,
          nextPageUri: isAsInRest(args)
            ? nextPageUri(uri, args, size, page, restQuery({ sshCertificateAuthorityId }))
            : null,
        };
      },
    },
    { name: 'SshRevocationConnection', description: 'A page of a list.', extensions: readable },
    { name: 'SshRevocationEdge', description: 'An object of a list, with its cursor.', extensions: readable },
  ),
);

/** Counts revocations once for all fields of a document that have the same filter. */
function countOnce(filter: RevocationFilter, context: Context): Promise<number> {
  const load = async (names: readonly string[]) => {
    const all: number[] = [];
    for (const name of names) {
      const { scope, requestId } = context;
      await breathe(context);
      all.push(await inSequence(requestId, () => countRevocations(scope, JSON.parse(name), paceOf(context))));
    }
    return all;
  };
  return batched(context, 'numbers of revocations', load).load(JSON.stringify(filter));
}

function cursorOf({ column, mark }: MarkedOrder, revocation: SshRevocation): string {
  const { sshCertificateAuthorityId, serial } = revocation;
  const position = `${revocation[column].getTime()}.${sshCertificateAuthorityId}.${serial}`;
  return mark === undefined ? position : `${position}.${mark}`;
}

const cursorForm = /^(\d{1,15})\.(\w+)\.(\d{1,19})(?:\.([a-z_]+))?$/;

/** Parses a cursor from an earlier page. Throws INVALID_INPUT. */
function readPosition(
  { mark }: MarkedOrder,
  field: string,
  text: string | null | undefined,
): RevocationPosition | undefined {
  if (text == null) return undefined;
  const [, ms, sshCertificateAuthorityId = '', digits = '', ofOrder] = cursorForm.exec(text) ?? [];
  const serial = BigInt(digits);
  const isPosition = isIdOf('SshCertificateAuthority', sshCertificateAuthorityId) && serial < serialsEnd;
  if (!isPosition || Number(ms) > lastMs) throw noCursor(field);
  if (ofOrder !== mark) throw otherOrder(field);
  return { time: new Date(Number(ms)), sshCertificateAuthorityId, serial };
}

builder.prismaObjectField('Account', 'sshRevocationListUrl', (t) =>
  t.string({
    description:
      'URL of the key revocation list (KRL) of all certificate authorities that the account has or had, in one file, for ' +
      '`RevokedHostKeys`. It requires no API key.',
    resolve: ({ id }, _args, { baseUrl }) => accountRevocationListUrl(baseUrl, id),
  }),
);
