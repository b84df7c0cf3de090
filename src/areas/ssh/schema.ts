// SSH certificate authorities and host certificates in GraphQL, with the lines that operators paste.

import { readChoice, readTextList } from '../../domain/decode.ts';
import { type ellipticCurves, privateKeyTypes, rsaKeySizes } from '../../domain/ssh/certificate-authority.ts';
import { principalsMax } from '../../domain/ssh/principals.ts';
import { blobOfLine, fingerprint, type KeyType } from '../../domain/ssh/public-key.ts';
import { parseTimestamp } from '../../domain/time.ts';
import { loadInnerList } from '../../graphql/batch.ts';
import { builder } from '../../graphql/builder.ts';
import { bounded, referenceFilter } from '../../graphql/connection.ts';
import { uriOf } from '../../graphql/context.ts';
import { searchCost } from '../../graphql/limits.ts';
import { createMutation, deleteMutation, updateMutation } from '../../graphql/mutations.ts';
import { oncePerRow } from '../../graphql/once-per-row.ts';
import { resourceQueries } from '../../graphql/queries.ts';
import { Resource } from '../../graphql/resource.ts';
import { certificateFileName, knownHostsLine, principalsWarning } from './rules.ts';
import {
  certificatesOfAuthority,
  createSshCertificateAuthority,
  createSshHostCertificate,
  deleteSshCertificateAuthority,
  deleteSshHostCertificate,
  sshCertificateAuthorities,
  sshHostCertificates,
} from './store.ts';

const SshKeyType = builder.enumType('SshKeyType', {
  description: 'The type of an SSH key.',
  values: {
    ed25519: { value: 'ed25519', description: 'Ed25519.' },
    ecdsa: { value: 'ecdsa', description: 'ECDSA on a NIST curve.' },
    rsa: { value: 'rsa', description: 'RSA.' },
  } satisfies { [T in KeyType]: { value: T; description: string } },
});

const SshEllipticCurve = builder.enumType('SshEllipticCurve', {
  description: 'The curve of an ECDSA key.',
  values: {
    p256: { value: 'p256', description: 'NIST P-256.' },
    p384: { value: 'p384', description: 'NIST P-384.' },
    p521: { value: 'p521', description: 'NIST P-521.' },
  } satisfies { [C in (typeof ellipticCurves)[number]]: { value: C; description: string } },
});

const fingerprintOf = oncePerRow(({ publicKey }: { publicKey: string }) => fingerprint(blobOfLine(publicKey)));
const principalsOf = oncePerRow(({ principals }: { principals: unknown }) => readTextList(principals));
const fingerprintDescription = 'Fingerprint of the public key as OpenSSH shows it: `SHA256:...`.';
const expiresBeforeDescription = 'Only certificates that expire before this time.';

// The years in which certificates end. An offset leads out of four digits, and PostgreSQL has no year 0 (SQLSTATE 22008).
const firstMs = Date.UTC(1970, 0);
const lastMs = Date.UTC(10_000, 0) - 1;

/** Reads the time of `expiresBefore`, held within the years that any certificate ends in. Throws INVALID_INPUT. */
function readMoment(text: string): Date {
  const ms = parseTimestamp('expiresBefore', text).getTime();
  return new Date(Math.min(Math.max(ms, firstMs), lastMs));
}

const SshCertificateAuthority = builder.prismaNode('SshCertificateAuthority', {
  id: { field: 'id' },
  nullable: true,
  interfaces: [Resource],
  fields: (t) => ({
    keyType: t.field({
      type: SshKeyType,
      description: 'The type of the key of the authority.',
      resolve: ({ keyType }) => readChoice(privateKeyTypes, keyType),
    }),
    publicKey: t.exposeString('publicKey'),
    fingerprint: t.string({
      description: fingerprintDescription,
      resolve: fingerprintOf,
    }),
    knownHostsLine: t.string({
      description:
        'A line for the `known_hosts` file of clients, which makes them trust every host certified by the authority.',
      args: {
        hosts: t.arg.string({
          description:
            'Comma-separated patterns of the host names to trust the authority for, such as `*.example.com`.',
          defaultValue: '*',
        }),
      },
      resolve: ({ publicKey }, { hosts }) => knownHostsLine(hosts ?? '*', publicKey),
    }),
    revocationListUrl: t.string({
      description:
        'URL of the key revocation list (KRL) of the authority, for `RevokedHostKeys`. It requires no API key.',
      resolve: ({ id }, _args, context) => `${uriOf(context, id)}/krl`,
    }),
    hostCertificates: t.field({
      type: ['SshHostCertificate'],
      description:
        'The newest host certificates of the authority; page through all of them with `sshHostCertificates`.',
      args: {
        first: t.arg.int({ description: bounded.description, defaultValue: bounded.defaultValue }),
        expiresBefore: t.arg({ type: 'DateTime', description: expiresBeforeDescription }),
      },
      complexity: ({ first, expiresBefore }) => {
        const price = bounded.complexity({ first });
        return { ...price, field: price.field + costOfSearch({ expiresBefore }) };
      },
      resolve: ({ id }, { first, expiresBefore }, context, info) => {
        const moment = expiresBefore == null ? undefined : readMoment(expiresBefore);
        const list = certificatesOfAuthority(moment);
        return loadInnerList(sshHostCertificates, list, id, bounded.take(first), context, info);
      },
    }),
  }),
});

const SshHostCertificate = builder.prismaNode('SshHostCertificate', {
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
function costOfSearch({ expiresBefore }: { expiresBefore?: string | null | undefined }): number {
  return expiresBefore == null ? 0 : searchCost;
}

resourceQueries('SshCertificateAuthority', SshCertificateAuthority, sshCertificateAuthorities, {
  one: { name: 'sshCertificateAuthority', noun: 'SSH certificate authority' },
  list: {
    name: 'sshCertificateAuthorities',
    description: 'The SSH certificate authorities of the account, newest first.',
  },
});

/** What it costs to generate an RSA key: a document can ask for five, which are some seconds of work. */
const rsaKeyCost = 25_000;
/** What it costs to generate any other key. */
const quickKeyCost = 500;
/** What it costs to sign. With which key cannot be told from a document; the dearest takes 5 ms. */
const signatureCost = 1_000;

createMutation('createSshCertificateAuthority', SshCertificateAuthority, {
  description: 'Creates a certificate authority with a new key pair. The private key never leaves the server.',
  input: (t) => ({
    privateKeyType: t.field({ type: SshKeyType, description: 'The type of its key; defaults to `ed25519`.' }),
    ellipticCurve: t.field({ type: SshEllipticCurve, description: 'The curve of an `ecdsa` key; defaults to `p256`.' }),
    keySize: t.int({ description: `The size of an \`rsa\` key in bits: ${rsaKeySizes.join(', ')}; defaults to 4096.` }),
  }),
  cost: ({ privateKeyType }) => (privateKeyType === 'rsa' ? rsaKeyCost : quickKeyCost),
  resolve: (input, { scope, signal }, selected) => createSshCertificateAuthority(scope, input, selected(), signal),
});

updateMutation('updateSshCertificateAuthority', SshCertificateAuthority, {
  description: 'Updates the description and metadata of a certificate authority. Its key never changes.',
  resolve: (input, { scope }, selected) => sshCertificateAuthorities.updateNotes(scope, input, selected()),
});

deleteMutation('deleteSshCertificateAuthority', {
  description:
    'Deletes a certificate authority with its private key and its revocation list. IN_USE while it has certificates.',
  resolve: ({ id, expectedVersion }, { scope }) => deleteSshCertificateAuthority(scope, id, expectedVersion),
});

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
