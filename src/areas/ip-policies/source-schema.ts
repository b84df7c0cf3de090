// The sources of IP policies in GraphQL.

import type { ActedList } from '../../domain/ip/range-list.ts';
import { urlCharactersMax } from '../../domain/values/outgoing-url.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { choiceOf, namedBy } from '../../graphql/kit/column-fields.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import { createMutation, deleteMutation, stepMutation, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { forceInput, type InputBuilder, node } from '../../graphql/kit/resource.ts';
import { searchable, searchedText } from '../../graphql/kit/search-query.ts';
import { referenceFilter } from '../../graphql/lists/connection.ts';
import { needs } from '../../graphql/wrappers/rights.ts';
import { wholePolicyCost } from '../../load/limits.ts';
import { IpPolicyChangeEvaluation } from './change-schema.ts';
import { IpPolicyRuleAction } from './policy-schema.ts';
import { previewRefresh, type RefreshPreview, readAgain, readFirst, withList } from './refresh-store.ts';
import { ruleActions } from './rules.ts';
import {
  checkSource,
  intervalMax,
  intervals,
  type LastChange,
  lastChangeOf,
  type SourceKind,
  sourcesMax,
} from './source-rules.ts';
import {
  createIpPolicySource,
  deleteIpPolicySource,
  differencesNamed,
  draftSourceChange,
  ipPolicySources,
  kindOf,
  listOf,
  updateIpPolicySource,
} from './source-store.ts';
import { ipPolicies } from './store.ts';
import { confirmIpPolicySource, pendingOf } from './taking-store.ts';

const IpPolicySourceKind = enumOf<SourceKind>('IpPolicySourceKind', 'What a source of an IP policy is.', {
  dns: 'A DNS name: its IPv4 and IPv6 addresses.',
  text: 'A text at a URL, with one range or address a line; what follows # or ; is a comment.',
  json: 'A JSON document at a URL.',
});

const usualRanges = { multiplier: 20 };
const added = `The first ranges added, at most ${differencesNamed}, in ascending order.`;
const removed = `The first ranges removed, at most ${differencesNamed}, in ascending order.`;

const IpPolicySourceChange = builder.objectRef<LastChange>('IpPolicySourceChange').implement({
  description: 'A change of the ranges of a source.',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When it was made.', resolve: ({ at }) => new Date(at) }),
    added: t.exposeInt('added', { description: 'How many ranges were added.' }),
    removed: t.exposeInt('removed', { description: 'How many ranges were removed.' }),
    addedRanges: t.stringList({
      description: added,
      complexity: usualRanges,
      resolve: ({ addedRanges }) => [...addedRanges],
    }),
    removedRanges: t.stringList({
      description: removed,
      complexity: usualRanges,
      resolve: ({ removedRanges }) => [...removedRanges],
    }),
  }),
});

export const IpPolicySource = builder.prismaNode('IpPolicySource', {
  ...node,
  fields: (t) => ({
    ipPolicy: t.field(namedBy('ipPolicyId', 'IpPolicy', ipPolicies, 'The policy that the ranges belong to.')),
    kind: t.field({ type: IpPolicySourceKind, description: 'What the source is.', resolve: kindOf }),
    address: t.exposeString('address'),
    jsonPath: t.exposeString('jsonPath'),
    action: t.field(
      choiceOf('action', IpPolicyRuleAction, ruleActions, 'What the ranges of the source do with traffic.'),
    ),
    intervalSeconds: t.exposeInt('intervalSeconds'),
    rangeCount: t.exposeInt('rangeCount'),
    pendingCount: t.exposeInt('pendingCount', { nullable: true }),
    lastChange: t.field({
      type: IpPolicySourceChange,
      description: 'The last change of the ranges in force.',
      nullable: true,
      resolve: lastChangeOf,
    }),
    readAt: t.expose('readAt', { type: 'DateTime', nullable: true }),
    triedAt: t.expose('triedAt', { type: 'DateTime', nullable: true }),
    failure: t.exposeString('failure', { nullable: true }),
    nextAt: t.expose('nextAt', {
      type: 'DateTime',
      description: 'When the source is read next, give or take a minute.',
    }),
  }),
});

searchable('IpPolicySource', searchedText('address'));

resourceQueries('IpPolicySource', IpPolicySource, ipPolicySources, {
  one: { name: 'ipPolicySource', noun: 'source of an IP policy' },
  list: {
    name: 'ipPolicySources',
    description: 'The sources of one IP policy, or of all policies of the account, newest first.',
    filters: (arg) => ({ ipPolicyId: arg.id({ description: 'Only sources of this policy.' }) }),
    where: ({ ipPolicyId }) => referenceFilter('ipPolicyId', 'IpPolicy', ipPolicyId),
  },
});

/** The estimated cost of reading a source, which takes the time of others more than ours. */
const readingCost = wholePolicyCost;

const intervalDescription =
  `Seconds after which the source is read again: at least ${intervals.dns.min} for a name and ${intervals.text.min} for a list, at most ` +
  `${intervalMax}.`;
const pathDescription =
  'For a JSON document, where its ranges are: keys with points between, and [] after a list whose entries go on, such as ' +
  '`prefixes[].ip_prefix`; several such paths with commas between.';

function addressField(t: InputBuilder, required: boolean) {
  return t.string({
    required,
    description: 'The DNS name, or the http or https URL of the list, without a user name and password.',
    extensions: { jsonSchema: { minLength: 1, maxLength: urlCharactersMax } },
  });
}

function forcedInput(t: InputBuilder) {
  return {
    force: t.boolean({
      description:
        'Whether to make the change even if the source cannot be read now, or the client would be locked out. Without it, it fails ' +
        'with OUTGOING_FAILED, OUTGOING_REFUSED or LOCKOUT. Defaults to false.',
    }),
  };
}

createMutation('createIpPolicySource', IpPolicySource, {
  description:
    `Adds a source to an IP policy, at most ${sourcesMax}: its ranges count as rules do, and follow what the name or list says. It is ` +
    'read before it is stored.',
  cost: readingCost,
  input: (t) => ({
    ipPolicyId: t.id({ required: true, description: 'The policy to add the source to.' }),
    kind: t.field({ type: IpPolicySourceKind, required: true, description: 'What the source is.' }),
    address: addressField(t, true),
    jsonPath: t.string({
      description: pathDescription,
      extensions: { jsonSchema: { maxLength: 500 }, configured: { default: '' } },
    }),
    action: t.field({
      type: IpPolicyRuleAction,
      required: true,
      description: 'What to do with traffic from its ranges.',
    }),
    intervalSeconds: t.int({
      description: `${intervalDescription} Defaults to ${intervals.dns.default} for a name, and ${intervals.text.default} for a list.`,
    }),
    ...forcedInput(t),
  }),
  async resolve({ ipPolicyId, kind, address, jsonPath, action, intervalSeconds, force, ...notes }, context) {
    const { scope, outgoing, refuseLockout, signal } = context;
    const draft = checkSource({ kind, address: address ?? '', jsonPath, intervalSeconds });
    const outcome = await readFirst(scope, outgoing, draft, force === true, signal());
    const list = { sourceId: '', action, list: listOf(outcome) };
    if (force !== true) {
      await refuseLockout(
        async () => ipPolicyId,
        (rules) => rules,
        (lists) => withList(lists, list),
      );
    }
    return createIpPolicySource(scope, { ...notes, ...draft, ipPolicyId, action }, outcome);
  },
});

updateMutation('updateIpPolicySource', IpPolicySource, {
  description: 'Updates a source of an IP policy. With another address or path it is read before it is stored.',
  cost: readingCost,
  input: (t) => ({
    address: addressField(t, false),
    jsonPath: t.string({
      description: pathDescription,
      extensions: { jsonSchema: { maxLength: 500 }, configured: { default: '' } },
    }),
    action: t.field({ type: IpPolicyRuleAction, description: 'What to do with traffic from its ranges.' }),
    intervalSeconds: t.int({ description: intervalDescription }),
    ...forcedInput(t),
  }),
  async resolve(input, { scope, outgoing, refuseLockout, signal }) {
    const { source, draft, readsAnew } = await draftSourceChange(scope, input);
    const outcome = readsAnew ? await readFirst(scope, outgoing, draft, input.force === true, signal()) : null;
    const changed = ({ list }: ActedList): ActedList => ({
      sourceId: source.id,
      action: input.action ?? source.action,
      list: outcome === null ? list : listOf(outcome),
    });
    if (input.force !== true && (outcome !== null || input.action != null)) {
      await refuseLockout(
        async () => source.ipPolicyId,
        (rules) => rules,
        (lists) => lists.map((list) => (list.sourceId === source.id ? changed(list) : list)),
      );
    }
    return updateIpPolicySource(scope, input, draft, outcome);
  },
});

deleteMutation('deleteIpPolicySource', {
  description: 'Deletes a source of an IP policy, and its ranges with it.',
  input: forceInput,
  resolve: async ({ id, expectedVersion, force }, { scope, refuseLockout }) => {
    if (force !== true) {
      await refuseLockout(
        async () => (await ipPolicySources.get(scope, id)).ipPolicyId,
        (rules) => rules,
        (lists) => lists.filter(({ sourceId }) => sourceId !== id),
      );
    }
    await deleteIpPolicySource(scope, id, expectedVersion);
  },
});

stepMutation('refreshIpPolicySource', IpPolicySource, {
  description:
    'Reads a source of an IP policy now. If it cannot be read, the source says why, and its ranges stay. A list that has shrunk by more ' +
    'than half, or to nothing, waits to be confirmed.',
  cost: readingCost,
  result: 'The source as it was read.',
  resolve: ({ id }, { scope, outgoing, signal }) => readAgain(scope, outgoing, id, signal()),
});

stepMutation('confirmIpPolicySource', IpPolicySource, {
  description:
    'Puts the list of a source in force that has shrunk by more than half, or to nothing. OUT_OF_ORDER if none waits for that.',
  input: forceInput,
  result: 'The source with the list in force.',
  async resolve({ id, expectedVersion, force }, { scope, refuseLockout }) {
    if (force !== true) {
      const pending = await pendingOf(scope, id);
      await refuseLockout(
        async () => (await ipPolicySources.get(scope, id)).ipPolicyId,
        (rules) => rules,
        (lists) => lists.map((acted) => (acted.sourceId === id ? { ...acted, list: pending } : acted)),
      );
    }
    return confirmIpPolicySource(scope, id, expectedVersion);
  },
});

const IpPolicySourceEvaluation = builder.objectRef<RefreshPreview>('IpPolicySourceEvaluation').implement({
  description: 'What reading a source again would change.',
  fields: (t) => ({
    added: t.exposeInt('added', { description: 'How many ranges would be added.' }),
    removed: t.exposeInt('removed', { description: 'How many ranges would be removed.' }),
    addedRanges: t.stringList({
      description: added,
      complexity: usualRanges,
      resolve: ({ addedRanges }) => [...addedRanges],
    }),
    removedRanges: t.stringList({
      description: removed,
      complexity: usualRanges,
      resolve: ({ removedRanges }) => [...removedRanges],
    }),
    needsConfirmation: t.exposeBoolean('needsConfirmation', {
      description: 'Whether the list has shrunk so much that it would wait to be confirmed.',
    }),
    change: t.field({
      type: IpPolicyChangeEvaluation,
      nullable: true,
      description: 'Whom the change would keep out or let in; null if more than 10,000 ranges differ.',
      resolve: ({ change }) => change,
    }),
  }),
});

builder.queryField('evaluateIpPolicySource', (t) =>
  t.field({
    type: IpPolicySourceEvaluation,
    nullable: true,
    extensions: needs('ip-policies:read'),
    complexity: { field: readingCost },
    description:
      'Reads a source of an IP policy and returns what that would change, without changing anything. NOT_FOUND if it does not exist.',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the source.' }) },
    resolve: (_root, { id }, { scope, outgoing, budget, signal }) => {
      budget.count(readingCost);
      return previewRefresh(scope, outgoing, id, signal());
    },
  }),
);
