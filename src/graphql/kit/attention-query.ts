// The things that need attention, in GraphQL.

import { loadParts } from '../../areas/parts.ts';
import {
  attentionCodes,
  attentionGroups,
  attentionSeverities,
  type AttentionCode as Code,
  type AttentionGroup as Group,
  type Attention as Item,
  mostUrgentFirst,
  type AttentionSeverity as Severity,
} from '../../domain/attention.ts';
import { keptOnce } from '../../domain/concurrency/kept-with.ts';
import { kindOfId } from '../../domain/values/ids.ts';
import { called } from '../../domain/wording.ts';
import { innerListSizeDefault as entriesDefault, objectsOfLookup, pageSizeMax, searchCost } from '../../load/limits.ts';
import { inLaterTurn } from '../../load/pacing.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import { pageSizeOf } from '../lists/page.ts';
import { forEveryKey, hasScopes, mayRead } from '../wrappers/rights.ts';
import { inSequence } from './batch.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { enumValues } from './enum-values.ts';

const AttentionCode = builder.enumType('AttentionCode', {
  description: 'What needs attention. Later versions may add codes.',
  values: enumValues<Code>(attentionCodes),
});

const AttentionSeverity = builder.enumType('AttentionSeverity', {
  description: 'How urgent something is.',
  values: enumValues<Severity>(attentionSeverities),
});

const Attention = builder.objectRef<Item>('Attention').implement({
  description: 'Something that needs attention.',
  fields: (t) => ({
    code: t.field({ type: AttentionCode, description: 'What it is.', resolve: ({ code }) => code }),
    severity: t.field({
      type: AttentionSeverity,
      description: 'How urgent it is.',
      resolve: ({ severity }) => severity,
    }),
    message: t.exposeString('message', { description: 'What it is, and what to do about it, in English.' }),
    count: t.exposeInt('count', { description: 'How many objects or events it concerns.' }),
    at: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it will happen, or last happened; null for a state that lasts.',
      resolve: ({ at }) => at,
    }),
    subject: t.node({
      description:
        'The object concerned; null if there are several, if it has been deleted, or if the key may not read its kind.',
      extensions: forEveryKey,
      complexity: objectsOfLookup,
      id: ({ subject }, _args, context) => {
        const kind = subject === null ? null : kindOfId(subject.id);
        if (subject === null || kind === null || !mayRead(context, kind)) return null;
        context.budget.expectObjects(1);
        return subject.id;
      },
    }),
    subjectId: t.id({
      nullable: true,
      description: 'Identifier of the object, which may have been deleted since; null if there are several.',
      resolve: ({ subject }) => subject?.id ?? null,
    }),
    subjectName: t.string({
      nullable: true,
      description: 'The words by which the message names the object; null if there are several.',
      resolve: ({ subject }) => (subject === null ? null : called(subject)),
    }),
    subjectKind: t.string({
      nullable: true,
      description: 'The name of its type, such as `IpPolicy`.',
      resolve: ({ subject }) => (subject === null ? null : kindOfId(subject.id)),
    }),
  }),
});

const groupItemsDefault = 20;

const AttentionGroup = builder.objectRef<Group>('AttentionGroup').implement({
  description: 'Everything that needs attention for the same reason.',
  fields: (t) => ({
    code: t.field({ type: AttentionCode, description: 'The reason.', resolve: ({ code }) => code }),
    severity: t.field({
      type: AttentionSeverity,
      description: 'How urgent the most urgent item is.',
      resolve: ({ severity }) => severity,
    }),
    count: t.exposeInt('count', { description: 'How many objects or events it concerns, also beyond the items.' }),
    at: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the most urgent item will happen, or last happened; null for a state that lasts.',
      resolve: ({ at }) => at,
    }),
    items: t.field({
      type: [Attention],
      description: 'The most urgent items, the most urgent first.',
      args: {
        first: t.arg.int({ description: `How many to return; 1 to ${pageSizeMax}.`, defaultValue: groupItemsDefault }),
      },
      complexity: ({ first }) => ({ multiplier: first ?? groupItemsDefault }),
      resolve: ({ items }, { first }) => items.slice(0, pageSizeOf('first', first) ?? groupItemsDefault),
    }),
  }),
});

/** Loads all sources that find things that need attention. Not with this file: they must not come before the schemas of the areas. */
export async function loadAttentionSources(): Promise<readonly AttentionSource[]> {
  return (await loadParts('attention')).flatMap(({ attention }) => attention);
}

/** Cost of searching every area: it takes 100 ms with ten thousand objects of every kind (measured), so few may run at once. */
const searchAllCost = 20 * searchCost;
/** Cost of searching one area: it fills a turn of the event loop. */
const areaCost = 3_000;

/** Finds everything that needs attention in the areas that the key may read, once for all aliases in a document. */
const findAll = keptOnce((context: Context) => inSequence(context.requestId, () => search(context)));

async function search(context: Context): Promise<Item[]> {
  const { scope, identity, warningsOf } = context;
  const request = {
    scope,
    most: pageSizeMax,
    signal: context.signal,
    warningsOf: (restrictionIds: readonly string[]) => warningsOf(restrictionIds, scope.now()),
  };
  const found: Item[] = [];
  // One after the other, each in its own turn of the event loop, because each may read many rows.
  for (const { needs, find } of await loadAttentionSources()) {
    if (!hasScopes(context, needs)) continue;
    found.push(...(await inLaterTurn(identity.accountId, areaCost, () => find(request))));
  }
  return mostUrgentFirst(found, scope.now());
}

builder.queryField('attention', (t) =>
  t.field({
    type: [Attention],
    nullable: true,
    description:
      'What needs attention, most urgent first: what does not work or soon will not, and what to do about it. Limited to what ' +
      'the key may read.',
    extensions: forEveryKey,
    args: {
      first: t.arg.int({ description: `How many to return; 1 to ${pageSizeMax}.`, defaultValue: entriesDefault }),
    },
    complexity: ({ first }) => ({ field: searchAllCost, multiplier: first ?? entriesDefault }),
    resolve: async (_root, { first }, context) => {
      const most = pageSizeOf('first', first) ?? entriesDefault;
      return (await findAll(context)).slice(0, most);
    },
  }),
);

builder.queryField('attentionGroups', (t) =>
  t.field({
    type: [AttentionGroup],
    nullable: true,
    description:
      'What needs attention, by reason, most urgent first: however many host certificates expire, they are one group. Limited to ' +
      'what the key may read.',
    extensions: forEveryKey,
    // Of all reasons, a few apply at once.
    complexity: { field: searchAllCost, multiplier: 5 },
    resolve: async (_root, _args, context) => attentionGroups(await findAll(context), context.scope.now()),
  }),
);
