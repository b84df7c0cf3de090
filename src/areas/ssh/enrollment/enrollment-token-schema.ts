// Enrollment tokens in GraphQL.

import { loadNamed } from '../../../graphql/kit/batch.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { textsOf } from '../../../graphql/kit/column-fields.ts';
import { decidingNode } from '../../../graphql/kit/deciding.ts';
import { createMutation, deleteMutation, updateMutation } from '../../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../../graphql/kit/queries.ts';
import { forceInput } from '../../../graphql/kit/resource.ts';
import { searchable, searchedList } from '../../../graphql/kit/search-query.ts';
import { referenceFilter } from '../../../graphql/lists/connection.ts';
import { principalsMax } from '../certificates/principals.ts';
import { sshCertificateAuthorities, sshEnrollmentTokens } from '../collections-store.ts';
import { SshKeyType } from '../keys/key-schema.ts';
import { keyTypes } from '../keys/public-key.ts';
import { enrollmentMsDefault, usesMax, validitySecondsDefault, validitySecondsMax } from './enrollment.ts';
import { createSshEnrollmentToken, keyTypesOf } from './enrollment-token-store.ts';

const principalsDescription =
  'names, wildcards such as `*.db.example.com`, which allow all names below, and address ranges such as `10.1.0.0/16`';

const SshEnrollmentToken = builder.prismaNode('SshEnrollmentToken', {
  ...decidingNode,
  fields: (t) => ({
    sshCertificateAuthority: t.field({
      type: 'SshCertificateAuthority',
      description: 'The authority that signs the certificates.',
      resolve: ({ sshCertificateAuthorityId: id }, _args, context, info) =>
        loadNamed(sshCertificateAuthorities, id, context, info),
    }),
    sshCertificateAuthorityId: t.exposeID('sshCertificateAuthorityId', {
      description: 'Identifier of the authority that signs the certificates.',
    }),
    principals: t.stringList(textsOf('principals', `The principals that hosts may request: ${principalsDescription}.`)),
    keyTypes: t.field({
      type: [SshKeyType],
      complexity: 1,
      description: 'The types of host keys that the token certifies.',
      resolve: keyTypesOf,
    }),
    maxValidity: t.exposeInt('validitySeconds'),
    maxUses: t.exposeInt('maxUses'),
    uses: t.exposeInt('uses'),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    usable: t.boolean({
      description: 'Whether hosts can enroll with the token: it has uses left and has not expired.',
      resolve: ({ uses, maxUses, expiresAt }, _args, { scope }) => uses < maxUses && expiresAt > scope.now(),
    }),
    token: t.string({
      extensions: { shownOnce: true },
      nullable: true,
      description:
        'The secret that a host enrolls with; it grants nothing else. Shown only in the response that creates the token; null ' +
        'in all others.',
      resolve: (row) => ('token' in row && typeof row.token === 'string' ? row.token : null),
    }),
  }),
});

searchable('SshEnrollmentToken', searchedList('principals'));

resourceQueries('SshEnrollmentToken', SshEnrollmentToken, sshEnrollmentTokens, {
  one: { name: 'sshEnrollmentToken', noun: 'SSH enrollment token' },
  list: {
    name: 'sshEnrollmentTokens',
    description: 'The SSH enrollment tokens of the account, newest first. Expired and used-up tokens remain listed.',
    filters: (arg) => ({
      sshCertificateAuthorityId: arg.id({ description: 'Only tokens for this authority.' }),
    }),
    where: ({ sshCertificateAuthorityId }) =>
      referenceFilter('sshCertificateAuthorityId', 'SshCertificateAuthority', sshCertificateAuthorityId),
  },
});

createMutation('createSshEnrollmentToken', SshEnrollmentToken, {
  description: 'Creates a token for enrolling hosts. Only this response shows its secret.',
  input: (t) => ({
    sshCertificateAuthorityId: t.id({ required: true, description: 'The authority to sign the certificates.' }),
    ...forceInput(t),
    principals: t.stringList({
      required: true,
      description: `The principals that hosts may request: ${principalsDescription}.`,
      extensions: { jsonSchema: { minItems: 1, maxItems: principalsMax } },
    }),
    keyTypes: t.field({
      type: [SshKeyType],
      description: 'The types of host keys that the token certifies; all by default.',
      extensions: { jsonSchema: { maxItems: keyTypes.length } },
    }),
    maxValidity: t.int({
      description: `Longest validity of a certificate in seconds, at most ${validitySecondsMax}; defaults to ${validitySecondsDefault}, which is 90 days.`,
      extensions: { configured: { default: validitySecondsDefault } },
    }),
    maxUses: t.int({
      description: `How many certificates can be issued with the token, at most ${usesMax}; defaults to 1.`,
      extensions: { configured: { default: 1 } },
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description:
        'When the token expires, rounded down to the second; not later than the API key that creates it. Defaults to ' +
        `${enrollmentMsDefault / 3_600_000} hours from now, or to the expiry of that key if that is earlier.`,
    }),
  }),
  resolve: (input, { scope, identity }) => createSshEnrollmentToken(scope, input, identity),
});

updateMutation('updateSshEnrollmentToken', SshEnrollmentToken, {
  description:
    'Updates the description and metadata of an enrollment token. The enrollments that it allows never change.',
  resolve: (input, { scope }) => sshEnrollmentTokens.updateNotes(scope, input),
});

deleteMutation('deleteSshEnrollmentToken', {
  description:
    'Deletes an enrollment token, effective immediately. Certificates of hosts enrolled with it remain valid.',
  input: forceInput,
  resolve: ({ id, expectedVersion }, { scope }) => sshEnrollmentTokens.remove(scope, id, expectedVersion),
});
