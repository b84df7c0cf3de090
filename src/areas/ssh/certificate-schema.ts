// SSH host certificates in GraphQL, with the lines that operators paste.

import { readChoice, readTextList } from '../../domain/decode.ts';
import { privateKeyTypes } from '../../domain/ssh/certificate-authority.ts';
import { principalsMax } from '../../domain/ssh/principals.ts';
import { parseTimestamp } from '../../domain/time.ts';
import { builder } from '../../graphql/builder.ts';
import { referenceFilter } from '../../graphql/connection.ts';
import { searchCost } from '../../graphql/limits.ts';
import { createMutation, deleteMutation, updateMutation } from '../../graphql/mutations.ts';
import { oncePerRow } from '../../graphql/once-per-row.ts';
import { resourceQueries } from '../../graphql/queries.ts';
import { Resource } from '../../graphql/resource.ts';
import { createSshHostCertificate, deleteSshHostCertificate, sshHostCertificates } from './certificate-store.ts';
import { fingerprintDescription, fingerprintOf, SshKeyType } from './key-schema.ts';
import { certificateFileName, principalsWarning } from './rules.ts';

const principalsOf = oncePerRow(({ principals }: { principals: unknown }) => readTextList(principals));
export const expiresBeforeDescription = 'Only certificates that expire before this time.';

// The years in which certificates end. An offset leads out of four digits, and PostgreSQL has no year 0 (SQLSTATE 22008).
const firstMs = Date.UTC(1970, 0);
const lastMs = Date.UTC(10_000, 0) - 1;

/** Reads the time of `expiresBefore`, held within the years that any certificate ends in. Throws INVALID_INPUT. */
export function readMoment(text: string): Date {
  const ms = parseTimestamp('expiresBefore', text).getTime();
  return new Date(Math.min(Math.max(ms, firstMs), lastMs));
}

export const SshHostCertificate = builder.prismaNode('SshHostCertificate', {
  id: { field: 'id' },
  nullable: true,
  interfaces: [Resource],
  fields: (t) => ({
    sshCertificateAuthority: t.relation('sshCertificateAuthority', {
      description: 'The authority that signed the certificate.',
    }),
    sshCertificateAuthorityId: t.exposeID('sshCertificateAuthorityId', {
      description: 'Identifier of the authority that signed the certificate.',
    }),
    publicKey: t.exposeString('publicKey'),
    keyType: t.field({
      type: SshKeyType,
      description: 'The type of the public key.',
      resolve: ({ keyType }) => readChoice(privateKeyTypes, keyType),
    }),
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

/** What it costs to look through a list for certificates that expire. */
export function costOfSearch({ expiresBefore }: { expiresBefore?: string | null | undefined }): number {
  return expiresBefore == null ? 0 : searchCost;
}

/** What it costs to sign. With which key cannot be told from a document; the dearest takes 5 ms. */
export const signatureCost = 1_000;

resourceQueries('SshHostCertificate', SshHostCertificate, sshHostCertificates, {
  one: { name: 'sshHostCertificate', noun: 'SSH host certificate' },
  list: {
    name: 'sshHostCertificates',
    description: 'The SSH host certificates of the account, newest first.',
    filters: (arg) => ({
      sshCertificateAuthorityId: arg.id({ description: 'Only certificates signed by this authority.' }),
      expiresBefore: arg({ type: 'DateTime', description: expiresBeforeDescription }),
    }),
    where: ({ sshCertificateAuthorityId, expiresBefore }) => ({
      ...(expiresBefore == null ? {} : { validUntil: { lt: readMoment(expiresBefore) } }),
      ...referenceFilter('sshCertificateAuthorityId', 'SshCertificateAuthority', sshCertificateAuthorityId),
    }),
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
  resolve: (input, { scope, signal }, selected) => createSshHostCertificate(scope, input, selected(), signal),
});

updateMutation('updateSshHostCertificate', SshHostCertificate, {
  description: 'Updates the description and metadata of a host certificate. The certificate is not signed again.',
  resolve: (input, { scope }, selected) => sshHostCertificates.updateNotes(scope, input, selected()),
});

deleteMutation('deleteSshHostCertificate', {
  description: 'Deletes a host certificate and adds it to the revocation list of its authority.',
  resolve: ({ id, expectedVersion }, { scope }) => deleteSshHostCertificate(scope, id, expectedVersion),
});
