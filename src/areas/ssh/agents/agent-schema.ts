// Agents that sign for certificate authorities, in GraphQL.

import { builder } from '../../../graphql/kit/builder.ts';
import { choiceOf } from '../../../graphql/kit/column-fields.ts';
import { createMutation } from '../../../graphql/kit/mutations.ts';
import { needs } from '../../../graphql/wrappers/rights.ts';
import { SshCertificateAuthority } from '../authorities/authority-schema.ts';
import { fingerprintDescription, SshKeyType } from '../keys/key-schema.ts';
import { keyTypes } from '../keys/public-key.ts';
import {
  addSshCertificateAuthority,
  keysMax,
  type OfferedAgent,
  type OfferedKey,
  offeredAgents,
} from './agent-store.ts';

const SshAgentKey = builder.objectRef<OfferedKey>('SshAgentKey').implement({
  description: 'A key that an agent offers.',
  fields: (t) => ({
    publicKey: t.exposeString('publicKey', { description: 'The public key in one line, without a comment.' }),
    keyType: t.field(choiceOf('keyType', SshKeyType, keyTypes, 'The type of the key.')),
    fingerprint: t.exposeString('fingerprint', { description: fingerprintDescription }),
    comment: t.exposeString('comment', { description: 'The label of the key in the agent.' }),
  }),
});

const SshSigningAgent = builder.objectRef<OfferedAgent>('SshSigningAgent').implement({
  description: 'An agent that the operator has set up for the account. Its keys can sign for certificate authorities.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in the configuration.' }),
    keys: t.field({
      type: [SshAgentKey],
      complexity: { field: 1, multiplier: keysMax },
      description:
        'The keys that it offers, at most 100: none while it is locked. Keys that need a touch for each signature are left out.',
      resolve: ({ keys }) => [...keys],
    }),
    problem: t.exposeString('problem', { nullable: true, description: 'Why it cannot be asked; null if it can.' }),
  }),
});

/** Estimated and actual cost of asking agents: each answers in a millisecond or is waited for in vain. */
const askCost = 1_000;

builder.queryField('sshSigningAgents', (t) =>
  t.field({
    type: [SshSigningAgent],
    nullable: true,
    extensions: needs('ssh:read'),
    complexity: { field: askCost },
    description: 'The agents that the operator has set up for the account, with the keys that they offer now.',
    resolve: (_root, _args, { scope, budget }) => {
      budget.count(askCost);
      return offeredAgents(scope);
    },
  }),
);

builder.prismaObjectField('SshCertificateAuthority', 'signingAgent', (t) =>
  t.exposeString('signingAgent', {
    nullable: true,
    description: 'Name of the agent that has its private key; null if the key is in the database.',
    extensions: { notConfigured: 'has its key: that of an authority which is made by the document is in the database' },
  }),
);

createMutation('createSshCertificateAuthorityInAgent', SshCertificateAuthority, {
  description:
    'Creates a certificate authority whose private key stays in an agent that the operator has set up, such as one with a token of ' +
    'hardware. The agent signs once to show that it can. UNAVAILABLE if it does not.',
  input: (t) => ({
    signingAgent: t.string({ required: true, description: 'The name of the agent.' }),
    key: t.string({
      description: 'The key: its fingerprint or its public key. It may be omitted if the agent offers a single one.',
    }),
  }),
  cost: askCost,
  resolve: (input, { scope }) => addSshCertificateAuthority(scope, input),
});
