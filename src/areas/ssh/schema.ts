// SSH certificate authorities and host certificates in GraphQL, with the lines that operators paste.

import { readChoice, readTextList } from '../../domain/decode.ts';
import { type ellipticCurves, privateKeyTypes, rsaKeySizes } from '../../domain/ssh/certificate-authority.ts';
import { principalsMax } from '../../domain/ssh/principals.ts';
import { blobOfLine, fingerprint, type KeyType } from '../../domain/ssh/public-key.ts';
import { parseTimestamp } from '../../domain/time.ts';
import { loadInnerList } from '../../graphql/batch.ts';
import { builder } from '../../graphql/builder.ts';
import { bounded, connectionTypes, referenceFilter, resolveList } from '../../graphql/connection.ts';
import { uriOf } from '../../graphql/context.ts';
import { pagePrice, pageSizeMax, searchCost } from '../../graphql/limits.ts';
import { addressInput, deleteMutation, notesInput, Resource } from '../../graphql/resource.ts';
import { selectionOf } from '../../graphql/selection.ts';
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
  description: 'Type of an SSH key.',
  values: {
    ed25519: { value: 'ed25519', description: 'Ed25519.' },
    ecdsa: { value: 'ecdsa', description: 'ECDSA on one of the NIST curves.' },
    rsa: { value: 'rsa', description: 'RSA.' },
  } satisfies { [T in KeyType]: { value: T; description: string } },
});

const SshEllipticCurve = builder.enumType('SshEllipticCurve', {
  description: 'Curve of an ECDSA key.',
  values: {
    p256: { value: 'p256', description: 'NIST P-256.' },
    p384: { value: 'p384', description: 'NIST P-384.' },
    p521: { value: 'p521', description: 'NIST P-521.' },
  } satisfies { [C in (typeof ellipticCurves)[number]]: { value: C; description: string } },
});

const SshCertificateAuthority = builder.prismaNode('SshCertificateAuthority', {
  id: { field: 'id' },
  nullable: true,
  interfaces: [Resource],
  fields: (t) => ({
    keyType: t.field({
      type: SshKeyType,
      description: 'Type of the key of the authority.',
      resolve: ({ keyType }) => readChoice(privateKeyTypes, keyType),
    }),
    publicKey: t.exposeString('publicKey'),
    fingerprint: t.string({
      description: 'Fingerprint of the public key, as OpenSSH shows it: `SHA256:...`.',
      resolve: ({ publicKey }) => fingerprint(blobOfLine(publicKey)),
    }),
    knownHostsLine: t.string({
      description:
        'Line for the `known_hosts` file of clients: from then on they trust the hosts that the authority signs.',
      args: {
        hosts: t.arg.string({
          description:
            'Patterns of the names to trust the authority for, separated by commas, such as `*.example.com`.',
          defaultValue: '*',
        }),
      },
      resolve: ({ publicKey }, { hosts }) => knownHostsLine(hosts ?? '*', publicKey),
    }),
    revocationListUrl: t.string({
      description: 'URL of the key revocation list (KRL) of the authority, for `RevokedHostKeys`. It needs no API key.',
      resolve: ({ id }, _args, context) => `${uriOf(context, id)}/krl`,
    }),
    hostCertificates: t.field({
      type: ['SshHostCertificate'],
      description: 'The newest host certificates of the authority. `sshHostCertificates` pages through all of them.',
      args: {
        first: t.arg.int({ description: bounded.description, defaultValue: bounded.defaultValue }),
        expiresBefore: t.arg({ type: 'DateTime', description: 'Lists only certificates that end before this time.' }),
      },
      complexity: ({ first, expiresBefore }) => searched(bounded.complexity({ first }), expiresBefore),
      resolve: ({ id }, { first, expiresBefore }, context, info) => {
        const moment = expiresBefore == null ? undefined : parseTimestamp('expiresBefore', expiresBefore);
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
      description: 'Type of the public key.',
      resolve: ({ keyType }) => readChoice(privateKeyTypes, keyType),
    }),
    fingerprint: t.string({
      description: 'Fingerprint of the public key, as OpenSSH shows it: `SHA256:...`.',
      resolve: ({ publicKey }) => fingerprint(blobOfLine(publicKey)),
    }),
    principals: t.stringList({
      description: 'Names and addresses of the hosts, in the order given. Empty: valid for all hosts.',
      resolve: ({ principals }) => readTextList(principals),
    }),
    principalsWarning: t.string({
      nullable: true,
      description: 'What is risky about the principals: the certificate lets its host pass for any other. Else null.',
      resolve: ({ principals }) => principalsWarning(readTextList(principals)),
    }),
    validAfter: t.expose('validAfter', { type: 'DateTime', description: 'When the certificate becomes valid.' }),
    validUntil: t.expose('validUntil', { type: 'DateTime', description: 'When the certificate stops being valid.' }),
    expired: t.boolean({
      description: 'Whether the certificate has stopped being valid.',
      resolve: ({ validUntil }, _args, { scope }) => validUntil <= scope.now(),
    }),
    serial: t.string({
      description: 'Serial number in decimal digits; it names the certificate on the revocation list.',
      resolve: ({ serial }) => serial.toString(),
    }),
    certificate: t.exposeString('certificate', { complexity: 4 }),
    certificateFileName: t.string({
      description: 'Name of the file to store the certificate in, beside the usual key of its type.',
      resolve: ({ keyType }) => certificateFileName(keyType),
    }),
    certificateFileContent: t.string({
      description: 'Content of that file.',
      resolve: ({ certificate }) => `${certificate}\n`,
    }),
    sshdConfigLine: t.string({
      description: 'Line for `sshd_config` that makes the SSH daemon show the certificate.',
      resolve: ({ keyType }) => `HostCertificate /etc/ssh/${certificateFileName(keyType)}`,
    }),
  }),
});

/** Adds to the price of a list what it costs to look for what expires. */
function searched(price: { field: number; multiplier: number }, expiresBefore: unknown) {
  return expiresBefore == null ? price : { ...price, field: price.field + searchCost };
}

function endsBefore(time: string | null | undefined) {
  return time == null ? {} : { validUntil: { lt: parseTimestamp('expiresBefore', time) } };
}

builder.queryFields((t) => ({
  sshCertificateAuthority: t.field({
    type: SshCertificateAuthority,
    description: 'One SSH certificate authority. NOT_FOUND when there is none with this identifier.',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the authority.' }) },
    resolve: (_root, { id }, context, info) =>
      sshCertificateAuthorities.get(context.scope, id, selectionOf(context, info)),
  }),
  sshCertificateAuthorities: t.connection(
    {
      type: SshCertificateAuthority,
      description: 'The SSH certificate authorities of the account, newest first.',
      resolve: (_root, args, context, info) =>
        resolveList('SshCertificateAuthority', sshCertificateAuthorities, {}, args, context, info),
    },
    ...connectionTypes('SshCertificateAuthority'),
  ),
  sshHostCertificate: t.field({
    type: SshHostCertificate,
    description: 'One SSH host certificate. NOT_FOUND when there is none with this identifier.',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the certificate.' }) },
    resolve: (_root, { id }, context, info) => sshHostCertificates.get(context.scope, id, selectionOf(context, info)),
  }),
  sshHostCertificates: t.connection(
    {
      type: SshHostCertificate,
      description: 'The SSH host certificates of the account, newest first.',
      complexity: ({ first, last, expiresBefore }) => searched(pagePrice(first ?? last ?? pageSizeMax), expiresBefore),
      args: {
        sshCertificateAuthorityId: t.arg.id({ description: 'Lists only certificates of this authority.' }),
        expiresBefore: t.arg({ type: 'DateTime', description: 'Lists only certificates that end before this time.' }),
      },
      resolve: (_root, { sshCertificateAuthorityId, expiresBefore, ...args }, context, info) => {
        const where = {
          ...endsBefore(expiresBefore),
          ...referenceFilter('sshCertificateAuthorityId', 'SshCertificateAuthority', sshCertificateAuthorityId),
        };
        return resolveList('SshHostCertificate', sshHostCertificates, where, args, context, info);
      },
    },
    ...connectionTypes('SshHostCertificate'),
  ),
}));

/** What it costs to generate an RSA key: a document can ask for five, which are some seconds of work. */
const rsaKeyCost = 25_000;
/** What it costs to generate any other key. */
const quickKeyCost = 500;
/** What it costs to sign. With which key cannot be told from a document; the dearest takes 5 ms. */
const signatureCost = 1_000;

builder.relayMutationField(
  'createSshCertificateAuthority',
  {
    description: 'A new SSH certificate authority.',
    inputFields: (t) => ({
      privateKeyType: t.field({ type: SshKeyType, description: 'Type of its key; default `ed25519`.' }),
      ellipticCurve: t.field({ type: SshEllipticCurve, description: 'Curve of an `ecdsa` key; default `p256`.' }),
      keySize: t.int({ description: `Bits of an \`rsa\` key: ${rsaKeySizes.join(', ')}; default 4096.` }),
      ...notesInput(t),
    }),
  },
  {
    description: 'Creates a certificate authority with a new key pair. The private key never leaves the server.',
    complexity: ({ input }) => ({ field: input.privateKeyType === 'rsa' ? rsaKeyCost : quickKeyCost }),
    resolve: (_root, { input }, { scope, signal }) => createSshCertificateAuthority(scope, input, signal),
  },
  {
    description: 'What was created.',
    outputFields: (t) => ({
      sshCertificateAuthority: t.field({
        type: SshCertificateAuthority,
        description: 'The new authority.',
        resolve: (row) => row,
      }),
    }),
  },
);

builder.relayMutationField(
  'updateSshCertificateAuthority',
  {
    description: 'A change to an SSH certificate authority. What is left out keeps its value.',
    inputFields: (t) => ({ ...addressInput(t), ...notesInput(t) }),
  },
  {
    description: 'Changes the notes of a certificate authority. Its key never changes.',
    resolve: (_root, { input }, context, info) =>
      sshCertificateAuthorities.updateNotes(
        context.scope,
        input,
        selectionOf(context, info, ['sshCertificateAuthority']),
      ),
  },
  {
    description: 'What was changed.',
    outputFields: (t) => ({
      sshCertificateAuthority: t.field({
        type: SshCertificateAuthority,
        description: 'The authority as it is now.',
        resolve: (row) => row,
      }),
    }),
  },
);

deleteMutation(
  'SshCertificateAuthority',
  'Deletes a certificate authority with its private key and its revocation list. IN_USE while it has certificates.',
  deleteSshCertificateAuthority,
);

builder.relayMutationField(
  'createSshHostCertificate',
  {
    description: 'A host key to sign.',
    inputFields: (t) => ({
      sshCertificateAuthorityId: t.id({ required: true, description: 'The authority that is to sign.' }),
      publicKey: t.string({
        required: true,
        description: 'Public key of the host in OpenSSH Authorized Keys format: the one line of its `.pub` file.',
      }),
      principals: t.stringList({
        description:
          `Names and addresses that the host is reached under, in lower case; at most ${principalsMax}. Without any, the ` +
          'certificate is valid for all hosts, and OpenSSH from 10.3 on refuses it.',
        extensions: { jsonSchema: { maxItems: principalsMax } },
      }),
      validAfter: t.field({ type: 'DateTime', description: 'When it becomes valid; default now.' }),
      validUntil: t.field({ type: 'DateTime', description: 'When it stops being valid; default one year from now.' }),
      ...notesInput(t),
    }),
  },
  {
    description: 'Signs the public key of a host.',
    complexity: { field: signatureCost },
    resolve: (_root, { input }, { scope, signal }) => createSshHostCertificate(scope, input, signal),
  },
  {
    description: 'What was created.',
    outputFields: (t) => ({
      sshHostCertificate: t.field({
        type: SshHostCertificate,
        description: 'The new certificate.',
        resolve: (row) => row,
      }),
    }),
  },
);

builder.relayMutationField(
  'updateSshHostCertificate',
  {
    description: 'A change to an SSH host certificate. What is left out keeps its value.',
    inputFields: (t) => ({ ...addressInput(t), ...notesInput(t) }),
  },
  {
    description: 'Changes the notes of a host certificate. It is never signed again.',
    resolve: (_root, { input }, context, info) =>
      sshHostCertificates.updateNotes(context.scope, input, selectionOf(context, info, ['sshHostCertificate'])),
  },
  {
    description: 'What was changed.',
    outputFields: (t) => ({
      sshHostCertificate: t.field({
        type: SshHostCertificate,
        description: 'The certificate as it is now.',
        resolve: (row) => row,
      }),
    }),
  },
);

deleteMutation(
  'SshHostCertificate',
  'Deletes a host certificate and puts it on the revocation list of its authority.',
  deleteSshHostCertificate,
);
