// The providers at which people sign in, in GraphQL.

import { areRoleMappings, type RoleMapping } from '../../domain/access/roles.ts';
import {
  emailDomainsMax,
  emailVerifications,
  groupsClaimDefault,
  scopesDefault,
  scopesMax,
} from '../../domain/oidc/settings.ts';
import { signInUrls } from '../../domain/saml/service-provider.ts';
import { readAs, readChoice } from '../../domain/values/decode.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { choiceOf, textsOf } from '../../graphql/kit/column-fields.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { OidcEmailVerification } from '../../graphql/kit/email-verification.ts';
import { createMutation, deleteMutation, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { forceInput, type InputBuilder, node } from '../../graphql/kit/resource.ts';
import { searchable, searchedText } from '../../graphql/kit/search-query.ts';
import { findProviderMetadata } from './metadata-store.ts';
import { createSignInProvider, deleteSignInProvider, signInProviders, updateSignInProvider } from './provider-store.ts';
import { mappingsMax } from './rules.ts';
import { SignInProtocol, SignInProviderSaml, SignInProviderSamlInput } from './saml-schema.ts';

const RoleMappingType = builder.objectRef<RoleMapping>('RoleMapping').implement({
  description:
    'Who gets a role: the members of a group, whoever has an e-mail address, or everybody whom the provider lets in.',
  fields: (t) => ({
    group: t.exposeString('group', { nullable: true, description: 'The group, as the provider names it.' }),
    email: t.exposeString('email', { nullable: true, description: 'The e-mail address.' }),
    everybody: t.exposeBoolean('everybody', { description: 'Whether everybody gets the role.' }),
    role: t.exposeString('role', { description: 'The name of the role.' }),
  }),
});

const RoleMappingInput = builder.inputType('RoleMappingInput', {
  description: 'Who gets a role. Exactly one of `group`, `email` and `everybody` is given.',
  fields: (t) => ({
    group: t.string({ description: 'The group, as the provider names it; at most 1024 bytes.' }),
    email: t.string({ description: 'The e-mail address.' }),
    everybody: t.boolean({
      description: 'Whether everybody whom the provider lets in gets the role.',
      extensions: { configured: { default: false } },
    }),
    role: t.string({ required: true, description: 'The name of the role.' }),
  }),
});

const usualMappings = { multiplier: 10 };

const SignInProvider = builder.prismaNode('SignInProvider', {
  ...node,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What the sign-in page calls the provider.' }),
    enabled: t.exposeBoolean('enabled', {
      description: 'Whether people can sign in there. Their sessions and personal API keys end while they cannot.',
    }),
    refusesKeys: t.exposeBoolean('refusesKeys', {
      description: 'Whether no API key signs in to the dashboard while the provider is enabled.',
    }),
    roleMappings: t.field({
      type: [RoleMappingType],
      complexity: usualMappings,
      description: 'Who gets which role. Whoever gets none is not let in.',
      resolve: ({ roleMappings }) => readAs(roleMappings, areRoleMappings, 'role mappings'),
    }),
    protocol: t.field({
      type: SignInProtocol,
      description: 'How people are vouched for. It never changes.',
      resolve: ({ protocol }) => readChoice(['oidc', 'saml'] as const, protocol),
    }),
    issuer: t.exposeString('issuer', {
      description: 'The issuer of the provider, an https URL; with SAML, the entity ID of the identity provider.',
    }),
    clientId: t.exposeString('clientId', {
      description: 'The name that the provider has for this client. Empty with SAML.',
    }),
    saml: t.field({
      type: SignInProviderSaml,
      nullable: true,
      description: 'What a provider by SAML has besides; null for OpenID Connect.',
      resolve: (provider) => (provider.protocol === 'saml' ? provider : null),
    }),
    clientSecret: t.string({
      description:
        'Always empty: the client secret is sealed, and never shown. Put back, it keeps the one that is stored.',
      resolve: () => '',
    }),
    scopes: t.stringList(textsOf('scopes', 'The scopes that are asked for, besides `openid`.')),
    groupsClaim: t.exposeString('groupsClaim', {
      description:
        'The claim of the ID token, or else of the user information, that has the groups. With SAML, as `saml.groupsAttribute`.',
    }),
    emailVerification: t.field(
      choiceOf(
        'emailVerification',
        OidcEmailVerification,
        emailVerifications,
        'Which e-mail addresses of people are taken as theirs.',
      ),
    ),
    authorizedEmailDomains: t.stringList(
      textsOf('authorizedEmailDomains', 'The domains whose e-mail addresses are allowed; if empty, all are.'),
    ),
    redirectUrl: t.string({
      description: 'The redirect URI, to be configured at the provider. With SAML, the assertion consumer service.',
      resolve: ({ id, protocol }, _args, { baseUrl }) =>
        protocol === 'saml'
          ? signInUrls(baseUrl, id).assertionConsumerService
          : `${baseUrl}/dashboard/sign-in/${id}/callback`,
    }),
    signInUrl: t.string({
      description: 'Where people sign in by this provider, without choosing it on the sign-in page.',
      resolve: ({ id }, _args, { baseUrl }) => `${baseUrl}/dashboard/sign-in/${id}`,
    }),
  }),
});

searchable('SignInProvider', searchedText('name'), searchedText('issuer'));

resourceQueries('SignInProvider', SignInProvider, signInProviders, {
  one: { name: 'signInProvider', noun: 'sign-in provider' },
  list: { name: 'signInProviders', description: 'The sign-in providers of the account, newest first.' },
});

const nameDescription = 'What the sign-in page calls the provider; 1 to 64 bytes, unique in the account.';
const nameLimit = { jsonSchema: { minLength: 1, maxLength: 64 } };
/** What has no meaning with SAML. */
const ofOidc = { unless: 'saml' } as const;
const clientLimit = { jsonSchema: { minLength: 1, maxLength: 255 }, configured: ofOidc };
const clientDescription = 'The name that the provider has for this client; at most 255 bytes.';

function settingsInput(t: InputBuilder, isNew: boolean) {
  return {
    saml: t.field({
      type: SignInProviderSamlInput,
      description: isNew
        ? 'The settings of a provider by SAML. Then `issuer`, and all that belongs to OpenID Connect, is left out.'
        : 'The settings of a provider by SAML; null keeps each.',
    }),
    clientSecret: t.string({
      description: `The client secret; at most 1024 bytes.${isNew ? ' Needed before people can sign in.' : ' Without it, or empty, the one that is stored is kept, if the client is the same.'}`,
      extensions: { configured: { isSecret: true, ...ofOidc } },
    }),
    enabled: t.boolean({
      description:
        'Whether people can sign in there. If so, the provider is asked now, and a change that it cannot be used with fails. ' +
        `${isNew ? 'Defaults to true.' : 'People who cannot are signed out.'}`,
      extensions: { configured: { default: true } },
    }),
    refusesKeys: t.boolean({
      description:
        'Whether no API key signs in to the dashboard while the provider is enabled. Only who is signed in at the provider with all ' +
        `rights can switch that on, unless forced.${isNew ? ' Defaults to false.' : ''}`,
      extensions: { configured: { default: false } },
    }),
    roleMappings: t.field({
      type: [RoleMappingInput],
      description: `Who gets which role; at most ${mappingsMax}. ${isNew ? 'Defaults to none, by which nobody is let in.' : 'Replaces the list.'}`,
      extensions: { jsonSchema: { maxItems: mappingsMax }, configured: { default: [] } },
    }),
    scopes: t.stringList({
      description: `The scopes to ask for, besides \`openid\`; at most ${scopesMax}.${isNew ? ' Defaults to `email` and `profile`.' : ''}`,
      extensions: { jsonSchema: { maxItems: scopesMax }, configured: { default: scopesDefault, ...ofOidc } },
    }),
    groupsClaim: t.string({
      description: `The claim that has the groups; at most 255 bytes.${isNew ? ` Defaults to "${groupsClaimDefault}".` : ''}`,
      extensions: { configured: { default: groupsClaimDefault, ...ofOidc } },
    }),
    emailVerification: t.field({
      type: OidcEmailVerification,
      description: `Which e-mail addresses of people are taken as theirs.${isNew ? ' Defaults to `required`.' : ''}`,
      extensions: { configured: { default: 'required', ...ofOidc } },
    }),
    authorizedEmailDomains: t.stringList({
      description: `The domains whose e-mail addresses are allowed; at most ${emailDomainsMax}. ${isNew ? 'Defaults to none, which allows all.' : 'Replaces the list.'}`,
      extensions: { jsonSchema: { maxItems: emailDomainsMax }, configured: { default: [] } },
    }),
    ...forceInput(t),
  };
}

const giverOf = ({ identity: { rights, personId }, examineProvider }: Context, force: boolean | null | undefined) => ({
  rights,
  personId,
  force,
  examine: examineProvider,
});

createMutation('createSignInProvider', SignInProvider, {
  description: 'Creates a sign-in provider.',
  input: (t) => ({
    issuer: t.string({
      description:
        'The issuer of the provider, an https URL, with or without `/.well-known/openid-configuration`; at most 255 bytes. It never ' +
        'changes: who somebody is depends on it. Required, unless `saml` is given.',
      extensions: { configured: ofOidc },
    }),
    name: t.string({ required: true, description: nameDescription, extensions: nameLimit }),
    clientId: t.string({
      description: `${clientDescription} Required, unless \`saml\` is given.`,
      extensions: clientLimit,
    }),
    ...settingsInput(t, true),
  }),
  async resolve({ force, ...input }, context) {
    const { scope, outgoing, signal } = context;
    const found = await findProviderMetadata(scope, outgoing, { saml: input.saml }, signal());
    return createSignInProvider(scope, input, giverOf(context, force), found);
  },
});

updateMutation('updateSignInProvider', SignInProvider, {
  description:
    'Updates a sign-in provider. If it cannot be used afterwards, nothing is changed. Who gets which role is decided anew at once; where ' +
    'others are let in than before, everybody signs in anew.',
  input: (t) => ({
    name: t.string({ description: nameDescription, extensions: nameLimit }),
    clientId: t.string({ description: clientDescription, extensions: clientLimit }),
    ...settingsInput(t, false),
  }),
  async resolve({ force, ...input }, context) {
    const { scope, outgoing, signal } = context;
    const found = await findProviderMetadata(scope, outgoing, input, signal());
    return updateSignInProvider(scope, input, giverOf(context, force), found);
  },
});

deleteMutation('deleteSignInProvider', {
  description: 'Deletes a sign-in provider. Whoever signed in there is signed out, and stays on record.',
  input: forceInput,
  resolve: ({ id, expectedVersion, force }, { scope, identity: { rights, personId } }) =>
    deleteSignInProvider(scope, id, expectedVersion, { rights, personId, force }),
});
