// SSH host certificates in GraphQL, with the configuration lines that operators paste.

import { keptOnce } from '../../../domain/concurrency/kept-with.ts';
import { invalid } from '../../../domain/errors.ts';
import { readTextList } from '../../../domain/values/decode.ts';
import { lastMs, parseTimestamp } from '../../../domain/values/time.ts';
import { loadNamed } from '../../../graphql/kit/batch.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { choiceOf } from '../../../graphql/kit/column-fields.ts';
import type { Context } from '../../../graphql/kit/context.ts';
import { decidingNode } from '../../../graphql/kit/deciding.ts';
import { enumValues } from '../../../graphql/kit/enum-values.ts';
import { createMutation, deleteManyMutation, deleteMutation, updateMutation } from '../../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../../graphql/kit/queries.ts';
import { forceInput } from '../../../graphql/kit/resource.ts';
import { searchable, searchedList, searchedText } from '../../../graphql/kit/search-query.ts';
import { referenceFilter, type Where } from '../../../graphql/lists/connection.ts';
import { type Order, orders, orderValues } from '../../../graphql/lists/list-order.ts';
import { searchCost } from '../../../load/limits.ts';
import { sshCertificateAuthorities, sshHostCertificates } from '../collections-store.ts';
import { fingerprintDescription, fingerprintOf, SshKeyType } from '../keys/key-schema.ts';
import { keyTypes } from '../keys/public-key.ts';
import { certificateFileName, principalsWarning } from '../rules.ts';
import { certificatesNamed } from './certificate-names-store.ts';
import { createSshHostCertificate, deleteSshHostCertificates } from './certificate-store.ts';
import { checkPrincipal, principalBytesMax, principalsMax } from './principals.ts';

const principalsOf = keptOnce(({ principals }: { principals: unknown }) => readTextList(principals));
export const validUntilBeforeDescription = 'Only certificates that expire before this time.';

// Certificates expire between this year and the last that can be written. An offset can push a year beyond four digits, and
// PostgreSQL has no year 0 (SQLSTATE 22008).
const firstMs = Date.UTC(1970, 0);

/** Parses the time of a filter, if it is given, clamped to the range in which certificates expire. Throws INVALID_INPUT. */
export function readMoment(field: string, text: string | null | undefined): Date | undefined {
  if (text == null) return undefined;
  const ms = parseTimestamp(field, text).getTime();
  return new Date(Math.min(Math.max(ms, firstMs), lastMs));
}

interface Filters {
  readonly validUntilBefore?: string | null | undefined;
  readonly sshCertificateAuthorityId?: string | null | undefined;
  readonly validUntilAfter?: string | null | undefined;
  readonly principal?: string | null | undefined;
  readonly fingerprint?: string | null | undefined;
  readonly replaced?: boolean | null | undefined;
}

/** `SHA256:` and 256 bits in base64, without padding. */
const fingerprintForm = /^SHA256:[A-Za-z0-9+/]{43}$/;

/** Builds the condition from the filters of a list. Throws INVALID_INPUT. */
function whereOf(filters: Filters, { scope }: Context): Where {
  const { sshCertificateAuthorityId, validUntilBefore, validUntilAfter, principal, fingerprint, replaced } = filters;
  const before = readMoment('validUntilBefore', validUntilBefore);
  const after = readMoment('validUntilAfter', validUntilAfter);
  if (principal != null) checkPrincipal('principal', principal);
  if (fingerprint != null && !fingerprintForm.test(fingerprint)) {
    throw invalid('fingerprint', 'must be as `ssh-keygen -l` shows it: SHA256: and 43 characters.');
  }
  const where = {
    ...(before === undefined && after === undefined ? {} : { validUntil: { lt: before, gt: after } }),
    // Before the authority, because the most selective condition must come first (`storage/sql/range.ts`).
    ...(fingerprint == null ? {} : { fingerprint }),
    ...referenceFilter('sshCertificateAuthorityId', 'SshCertificateAuthority', sshCertificateAuthorityId),
    ...(replaced == null ? {} : { replacedById: replaced ? { not: null } : null }),
  };
  return principal == null ? where : async () => ({ ...where, ...(await certificatesNamed(scope, principal)) });
}

export const SshHostCertificate = builder.prismaNode('SshHostCertificate', {
  ...decidingNode,
  fields: (t) => ({
    sshCertificateAuthority: t.field({
      type: 'SshCertificateAuthority',
      description: 'The authority that signed the certificate.',
      resolve: ({ sshCertificateAuthorityId: id }, _args, context, info) =>
        loadNamed(sshCertificateAuthorities, id, context, info),
    }),
    sshCertificateAuthorityId: t.exposeID('sshCertificateAuthorityId', {
      description: 'Identifier of the authority that signed the certificate.',
    }),
    publicKey: t.exposeString('publicKey'),
    keyType: t.field(choiceOf('keyType', SshKeyType, keyTypes, 'The type of the public key.')),
    fingerprint: t.string({
      description: fingerprintDescription,
      resolve: fingerprintOf,
    }),
    principals: t.stringList({
      description:
        'The host names and addresses that the certificate is valid for, in the order given. If empty, it is valid for all hosts.',
      resolve: principalsOf,
    }),
    principalsWarning: t.string({
      nullable: true,
      description:
        'A warning if the certificate is valid for all hosts, so that its host can impersonate any other; otherwise null.',
      resolve: (row) => principalsWarning(principalsOf(row)),
    }),
    validAfter: t.expose('validAfter', { type: 'DateTime', description: 'When the certificate becomes valid.' }),
    validUntil: t.expose('validUntil', { type: 'DateTime', description: 'When the certificate expires.' }),
    expired: t.boolean({
      description: 'Whether the certificate has expired.',
      resolve: ({ validUntil }, _args, { scope }) => validUntil <= scope.now(),
    }),
    serial: t.string({
      description: 'The serial number in decimal digits, which identifies the certificate on the revocation list.',
      resolve: ({ serial }) => serial.toString(),
    }),
    certificate: t.exposeString('certificate', { complexity: 4 }),
    certificateFileName: t.string({
      description: 'Name of the file to store the certificate in, next to the default host key of its type.',
      resolve: ({ keyType }) => certificateFileName(keyType),
    }),
    certificateFileContent: t.string({
      description: 'The content of `certificateFileName`.',
      resolve: ({ certificate }) => `${certificate}\n`,
    }),
    sshdConfigLine: t.string({
      description: 'A line for `sshd_config` that makes the SSH daemon present the certificate.',
      resolve: ({ keyType }) => `HostCertificate /etc/ssh/${certificateFileName(keyType)}`,
    }),
  }),
});

/** Returns the cost of filtering a list by time of expiry, by name, or by whether certificates are replaced. */
export function costOfSearch({ validUntilBefore, validUntilAfter, principal, replaced }: Filters): number {
  const isSearch = [validUntilBefore, validUntilAfter, principal, replaced].some((given) => given != null);
  return isSearch ? searchCost : 0;
}

const byEnd: Order = { column: 'validUntil', ascending: true, mark: undefined };

const SshHostCertificateOrder = builder.enumType('SshHostCertificateOrder', {
  description: 'The order of a list of host certificates.',
  values: {
    ...orderValues,
    ...enumValues({
      valid_until_asc: 'By the time of expiry, earliest first.',
      valid_until_desc: 'By the time of expiry, latest first.',
    }),
  } as const,
});

/** Cost of signing. A document does not say with which type of key; the slowest takes 5 ms. */
export const signatureCost = 1_000;

searchable('SshHostCertificate', searchedList('principals'), searchedText('fingerprint'));

resourceQueries('SshHostCertificate', SshHostCertificate, sshHostCertificates, {
  one: { name: 'sshHostCertificate', noun: 'SSH host certificate' },
  list: {
    name: 'sshHostCertificates',
    description: 'The SSH host certificates of the account, newest first unless ordered otherwise.',
    filters: (arg) => ({
      sshCertificateAuthorityId: arg.id({ description: 'Only certificates signed by this authority.' }),
      validUntilBefore: arg({ type: 'DateTime', description: validUntilBeforeDescription }),
      validUntilAfter: arg({ type: 'DateTime', description: 'Only certificates that expire after this time.' }),
      principal: arg.string({
        description: 'Only certificates with exactly this name or address among their principals.',
        extensions: { jsonSchema: { maxLength: principalBytesMax } },
      }),
      fingerprint: arg.string({
        description: 'Only certificates for the public key with this fingerprint, such as `SHA256:...`.',
      }),
      replaced: arg.boolean({
        description:
          'If true, only certificates that their host has replaced by a renewal; if false, only the latest of each host.',
      }),
    }),
    where: whereOf,
    orders: {
      type: SshHostCertificateOrder,
      values: {
        ...orders,
        valid_until_asc: byEnd,
        valid_until_desc: { column: 'validUntil', ascending: false, mark: 'valid_until_desc' },
      },
    },
    filtersInRest: true,
    filterCost: costOfSearch,
  },
});

createMutation('createSshHostCertificate', SshHostCertificate, {
  description: 'Signs the public key of a host.',
  input: (t) => ({
    sshCertificateAuthorityId: t.id({ required: true, description: 'The authority to sign with.' }),
    publicKey: t.string({
      required: true,
      description: 'The public key of the host in OpenSSH Authorized Keys format: the single line of its `.pub` file.',
    }),
    principals: t.stringList({
      description:
        `The names and addresses that clients reach the host by, in lower case; at most ${principalsMax}. A certificate ` +
        'without any is valid for all hosts; OpenSSH 10.3 and later reject it.',
      extensions: { jsonSchema: { maxItems: principalsMax } },
    }),
    validAfter: t.field({ type: 'DateTime', description: 'When the certificate becomes valid; defaults to now.' }),
    validUntil: t.field({
      type: 'DateTime',
      description: 'When the certificate expires; defaults to one year from now.',
    }),
  }),
  cost: signatureCost,
  resolve: (input, { scope, signal }) => createSshHostCertificate(scope, input, signal()),
});

updateMutation('updateSshHostCertificate', SshHostCertificate, {
  description: 'Updates the description and metadata of a host certificate. The certificate is not signed again.',
  resolve: (input, { scope }) => sshHostCertificates.updateNotes(scope, input),
});

deleteMutation('deleteSshHostCertificate', {
  description: 'Deletes a host certificate and adds it to the revocation list of its authority.',
  input: forceInput,
  resolve: ({ id, expectedVersion }, { scope }) => deleteSshHostCertificates(scope, [{ id, expectedVersion }]),
});

deleteManyMutation('deleteSshHostCertificates', {
  description: 'Deletes host certificates and adds them to the revocation lists of their authorities.',
  input: forceInput,
  resolve: ({ objects }, { scope }, remembered) => deleteSshHostCertificates(scope, objects, { remembered }),
});
