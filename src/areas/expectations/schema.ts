// Expectations in GraphQL, and whether they are met.

import {
  type ExpectationKind,
  type ExpectedOutcome,
  expectationKinds,
  expectedOutcomes,
  type Outcome,
} from '../../domain/access/expected.ts';
import { keptOnce } from '../../domain/concurrency/kept-with.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { batched } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { choiceOf } from '../../graphql/kit/column-fields.ts';
import { type Context, collectionUri } from '../../graphql/kit/context.ts';
import { Deciding } from '../../graphql/kit/deciding.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import { IpRestrictionType } from '../../graphql/kit/ip-restriction-type.ts';
import { createMutation, deleteMutation, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { type InputBuilder, node } from '../../graphql/kit/resource.ts';
import { searchable, searchedText } from '../../graphql/kit/search-query.ts';
import { connectionOf } from '../../graphql/lists/connection-types.ts';
import { innerListArgs, innerListPrice, resolveInnerList } from '../../graphql/lists/inner-list.ts';
import { needs } from '../../graphql/wrappers/rights.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { type Asked, askAbout, decidedByEach } from './asking-store.ts';
import {
  expectationsMax,
  groupBytesMax,
  groupsMax,
  hostBytesMax,
  methodBytesMax,
  nameBytesMax,
  urlBytesMax,
} from './rules.ts';
import { createExpectation, expectations, updateExpectation } from './store.ts';

const ExpectationKindType = enumOf<ExpectationKind>(
  'ExpectationKind',
  'What an expectation asks, and which decision answers it.',
  {
    ip: 'Whether IP restrictions of a type let an address in, as `evaluateIp` says; or all addresses of a range.',
    gate: 'Whether the gate lets a request to an HTTPS edge pass, as `evaluateGate` says.',
    tls: 'Whether a TLS edge lets a connection pass, as `evaluateTlsPolicy` says.',
    renewal: 'Whether a host may renew a certificate with its name.',
    enrollment: 'Whether an enrollment token in force lets a host enroll under a name.',
  },
);

const ExpectedOutcomeType = enumOf<ExpectedOutcome>('ExpectedOutcome', 'What is expected.', {
  allowed: 'It is allowed; of a range, every address.',
  refused: 'It is refused; of a range, every address.',
  login: 'The client is asked to log in; only for the kind `gate`.',
});

const OutcomeType = enumOf<Outcome>('ExpectationOutcome', 'What is the case.', {
  allowed: 'It is allowed; of a range, every address.',
  refused: 'It is refused; of a range, every address.',
  login: 'The client is asked to log in.',
  mixed: 'Some addresses of the range are allowed, others refused.',
  unknown: 'What is asked about has been deleted, or it would take too much to find out.',
});

const State = builder.objectRef<Asked>('ExpectationState').implement({
  description: 'Whether an expectation is met now.',
  fields: (t) => ({
    met: t.exposeBoolean('isMet', { description: 'Whether it is met.' }),
    outcome: t.field({ type: OutcomeType, description: 'What is the case.', resolve: ({ answer }) => answer.outcome }),
    logged: t.boolean({
      nullable: true,
      description: 'Whether the connection is logged; null for kinds other than `tls`.',
      resolve: ({ answer }) => answer.logged,
    }),
    reason: t.string({
      // It names what decides.
      extensions: needs('ip-restrictions:read', 'https-edges:read', 'tls-edges:read', 'ssh:read'),
      description: 'A sentence that says what decides.',
      resolve: ({ answer }) => answer.reason,
    }),
  }),
});

// One document may ask about many expectations, which share what they need.
const shownOf = keptOnce((_context: Context) => new Map<string, Row<'Expectation'>>());

function loadState(expectation: Row<'Expectation'>, context: Context): Promise<Asked> {
  const shown = shownOf(context);
  // Under its version, because a document may change it.
  const key = `${expectation.id} ${expectation.version}`;
  shown.set(key, expectation);
  const load = (keys: readonly string[]) =>
    askAbout(
      context.scope,
      keys.flatMap((one) => shown.get(one) ?? []),
      context.signal(),
    );
  return batched(context, 'expectation states', load).load(key);
}

/** Cost of finding what each of many objects decides about, however many they are. */
const decidedCost = 20;

const Expectation = builder.prismaNode('Expectation', {
  ...node,
  fields: (t) => ({
    name: t.exposeString('name'),
    kind: t.field(choiceOf('kind', ExpectationKindType, expectationKinds, 'What it asks.')),
    expected: t.field(choiceOf('expected', ExpectedOutcomeType, expectedOutcomes, 'What is expected.')),
    address: t.exposeString('address'),
    trafficType: t.exposeString('trafficType'),
    httpsEdgeId: t.exposeID('httpsEdgeId', { nullable: true }),
    url: t.exposeString('url'),
    method: t.exposeString('method'),
    signedIn: t.exposeBoolean('signedIn'),
    groups: t.stringList({
      description: 'The groups of the user, in the order given.',
      complexity: { multiplier: 5 },
      resolve: ({ groups }) => readTextList(groups),
    }),
    tlsEdgeId: t.exposeID('tlsEdgeId', { nullable: true }),
    serverName: t.exposeString('serverName'),
    logged: t.exposeBoolean('logged', { nullable: true }),
    hostName: t.exposeString('hostName'),
    sshCertificateAuthorityId: t.exposeID('sshCertificateAuthorityId', { nullable: true }),
    state: t.field({
      type: State,
      complexity: { field: 20 },
      description: 'Whether it is met now.',
      resolve: (expectation, _args, context) => loadState(expectation, context),
    }),
  }),
});

builder.interfaceField(Deciding, 'expectations', (t) =>
  t.field({
    type: connectionOf('Expectation'),
    extensions: needs('expectations:read'),
    description: 'The expectations that the object decides about, newest first.',
    args: innerListArgs(t.arg),
    complexity: (args) => ({ ...innerListPrice(args), field: decidedCost }),
    resolve: ({ id }, args, context, info) => {
      const find = (ids: readonly string[]) => decidedByEach(context.scope, ids, context.signal());
      const list = { name: 'expectations decided by', find };
      const uri = collectionUri(context, 'Expectation');
      return resolveInnerList({ collection: expectations, list, cursors: 'Expectation', uri }, id, args, context, info);
    },
  }),
);

searchable('Expectation', searchedText('name'), searchedText('address'), searchedText('url'), searchedText('hostName'));

resourceQueries('Expectation', Expectation, expectations, {
  one: { name: 'expectation', noun: 'expectation' },
  list: {
    name: 'expectations',
    description: 'The expectations of the account, newest first.',
  },
});

/** A field of kinds that do not ask for it is shown as empty text. */
const emptyIfLeftOut = { configured: { default: '' } };

function questionInput(t: InputBuilder) {
  return {
    address: t.string({
      description:
        'The address of the client: needed for `ip`, `gate` and `tls`. For `ip`, also a range in CIDR notation. For the others, it must ' +
        'get past the IP restrictions of type `agent`.',
      extensions: { jsonSchema: { maxLength: 64 }, ...emptyIfLeftOut },
    }),
    trafficType: t.field({
      type: IpRestrictionType,
      description: 'Needed for `ip`: the type of the traffic.',
      extensions: emptyIfLeftOut,
    }),
    httpsEdgeId: t.id({ description: 'Needed for `gate`: the edge.' }),
    url: t.string({
      description: 'Needed for `gate`: the URL of the request, as the client sends it.',
      extensions: { jsonSchema: { maxLength: urlBytesMax }, ...emptyIfLeftOut },
    }),
    method: t.string({
      description: 'For `gate`: the method of the request. Defaults to `GET`.',
      extensions: { jsonSchema: { maxLength: methodBytesMax } },
    }),
    signedIn: t.boolean({
      description: 'For `gate`: whether the client has logged in. Defaults to false.',
      extensions: { configured: { default: false } },
    }),
    groups: t.stringList({
      description: `For \`gate\` with \`signedIn\`: the groups of the user; at most ${groupsMax}. Defaults to none.`,
      extensions: {
        jsonSchema: { maxItems: groupsMax, items: { maxLength: groupBytesMax } },
        configured: { default: [] },
      },
    }),
    tlsEdgeId: t.id({ description: 'Needed for `tls`: the edge.' }),
    serverName: t.string({
      description: 'For `tls`: the requested server name (SNI). Defaults to none.',
      extensions: { jsonSchema: { maxLength: hostBytesMax }, ...emptyIfLeftOut },
    }),
    logged: t.boolean({
      description: 'For `tls`: whether the connection is to be logged, or not to be. By default, that does not matter.',
    }),
    hostName: t.string({
      description: 'Needed for `renewal` and `enrollment`: the name of the host.',
      extensions: { jsonSchema: { maxLength: hostBytesMax }, ...emptyIfLeftOut },
    }),
    sshCertificateAuthorityId: t.id({
      description: 'For `enrollment`: the authority whose tokens count. By default, those of all.',
    }),
  };
}

const nameLimits = { jsonSchema: { minLength: 1, maxLength: nameBytesMax } };

createMutation('createExpectation', Expectation, {
  description:
    'Creates an expectation: from then on, changes that would break it fail with EXPECTATION_FAILED unless they are forced. It may not be ' +
    `met from the start. At most ${expectationsMax} per account.`,
  input: (t) => ({
    name: t.string({
      required: true,
      description: `The name, by which errors name it; unique in the account, at most ${nameBytesMax} bytes of UTF-8.`,
      extensions: nameLimits,
    }),
    kind: t.field({ type: ExpectationKindType, required: true, description: 'What it asks; cannot be changed later.' }),
    expected: t.field({ type: ExpectedOutcomeType, required: true, description: 'What is expected.' }),
    ...questionInput(t),
  }),
  resolve: (input, { scope }) => createExpectation(scope, input),
});

updateMutation('updateExpectation', Expectation, {
  description: 'Updates an expectation.',
  input: (t) => ({
    name: t.string({ description: 'The name.', extensions: nameLimits }),
    expected: t.field({ type: ExpectedOutcomeType, description: 'What is expected.' }),
    ...questionInput(t),
    method: t.string({
      description: 'For `gate`: the method of the request.',
      extensions: { jsonSchema: { minLength: 1, maxLength: methodBytesMax } },
    }),
    logged: t.boolean({
      description: 'For `tls`: whether the connection is to be logged, or not to be. Null: that does not matter.',
    }),
    sshCertificateAuthorityId: t.id({
      description: 'For `enrollment`: the authority whose tokens count. Null: those of all.',
    }),
  }),
  resolve: (input, { scope }) => updateExpectation(scope, input),
});

deleteMutation('deleteExpectation', {
  description: 'Deletes an expectation.',
  resolve: ({ id, expectedVersion }, { scope }) => expectations.remove(scope, id, expectedVersion),
});
