// Search: finds objects of all kinds that a key may read, by ids, notes and other identifying fields.

import { invalid, SallyportError } from '../../domain/errors.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { kinds as allKinds, kindOfId } from '../../domain/values/ids.ts';
import { checkText } from '../../domain/values/text.ts';
import { breathe, paceOf } from '../../load/answer-slices.ts';
import { objectsOfLookup, rowCost, searchCost } from '../../load/limits.ts';
import type { ResourceModel, Row } from '../../storage/objects/collection.ts';
import { readsOf } from '../../storage/objects/collections.ts';
import { type Match, type SearchedField, searchedRowsMax } from '../../storage/objects/search.ts';
import { forEveryKey, refusalOf, requirementTo } from '../wrappers/rights.ts';
import { batched, fieldPathOf, inSequence, readRows } from './batch.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { Resource } from './resource.ts';

/** A kind whose objects have notes, so that they can be found by `search`. */
type SearchedKind = {
  [M in ResourceModel]: Row<M> extends { description: string; metadata: string } ? M : never;
}[ResourceModel];

interface Found extends Match {
  readonly kind: SearchedKind;
}

/** The kinds that `search` finds, and the searched fields of all kinds, including kinds searched only in their lists. */
const searched = new Set<SearchedKind>();
const fieldsOf = new Map<ResourceModel, readonly SearchedField[]>();

/** Makes the objects of a kind searchable by their ids, their own fields and their notes. */
export function searchable(kind: SearchedKind, ...own: readonly SearchedField[]): void {
  searched.add(kind);
  searchableInLists(kind, ...own, searchedText('description'), searchedText('metadata'));
}

/** Makes the objects of a kind searchable in their lists only, by their ids and the given fields. */
export function searchableInLists(kind: ResourceModel, ...fields: readonly SearchedField[]): void {
  fieldsOf.set(kind, fields);
}

/** Returns a text field that is stored in a column of the same name. */
export function searchedText(name: string): SearchedField {
  return { name, column: name, read: (stored) => [stored] };
}

/** Returns a field with a list of texts that is stored in a column of the same name. */
export function searchedList(name: string): SearchedField {
  return { name, column: name, json: 'texts', read: (stored) => readTextList(JSON.parse(stored)) };
}

/** Returns the fields by which the objects of a kind are searched, besides the id; undefined if the kind is not searchable. */
export function searchedFieldsOf(kind: ResourceModel): readonly SearchedField[] | undefined {
  return fieldsOf.get(kind);
}

/** Longest text that is searched for, in bytes of UTF-8. */
const textBytesMax = 255;

/** JSON Schema keywords of an argument with the text to search for. */
export const searchedTextLength = { minLength: 1, maxLength: textBytesMax } as const;

/** Checks the text to search for. Throws INVALID_INPUT. */
export function checkSearchedText(field: string, text: string): string {
  if (text === '') throw invalid(field, 'must not be empty.');
  return checkText(field, text, textBytesMax);
}

/** Maximum and default number of objects that a search returns. */
const foundMax = 50;
const foundDefault = 20;

const SearchHit = builder.objectRef<Found>('SearchHit').implement({
  description: 'An object found by a search.',
  fields: (t) => ({
    node: t.field({
      type: Resource,
      description: 'The object.',
      // Kinds that the key may not read are not searched.
      extensions: forEveryKey,
      resolve: async ({ kind, id }, _args, context, info) => {
        const load = (ids: readonly string[]) => readRows(readsOf(kind), ids, context);
        const row = await batched(context, `${fieldPathOf(info)} ${kind}`, load).load(id);
        if (row !== null) return row;
        throw new SallyportError('UNAVAILABLE', 'An object was deleted during the search. Retry in a few seconds.');
      },
    }),
    field: t.exposeString('field', {
      description:
        'Name of the field that contains the text: `id` (which starts with it), `description`, `metadata`, `cidr`, `hostports`, `match`, ' +
        '`principals`, `fingerprint` or `labels`.',
    }),
    text: t.exposeString('text', {
      description: 'The value of that field; for a list, the entry that contains the text.',
    }),
  }),
});

builder.queryField('search', (t) =>
  t.field({
    type: [SearchHit],
    nullable: true,
    description:
      'Objects of all kinds that the key may read and that contain a text, newest first: at the beginning of the id, or in notes, ' +
      'ranges, hosts and ports, paths, principals, fingerprints and labels; an address also finds the rules whose ranges contain ' +
      `it. The case of ASCII letters is ignored. Of each kind, the newest ${searchedRowsMax.toLocaleString('en')} are searched.`,
    extensions: forEveryKey,
    args: {
      text: t.arg.string({
        required: true,
        description: `The text to search for; 1 to ${textBytesMax} bytes of UTF-8.`,
        extensions: { jsonSchema: searchedTextLength },
      }),
      first: t.arg.int({
        description: `How many objects to return, starting with the newest; 1 to ${foundMax}.`,
        defaultValue: foundDefault,
      }),
      kinds: t.arg.stringList({
        description: 'Only objects of these kinds: the names of their types, such as `IpPolicy`.',
        extensions: { jsonSchema: { maxItems: Object.keys(allKinds).length } },
      }),
    },
    complexity: ({ first, kinds }) => ({
      field: searchCost * (kinds?.length ?? searched.size),
      multiplier: first ?? foundDefault,
    }),
    resolve: async (_root, { text, first, kinds }, context) => {
      checkSearchedText('text', text);
      const take = first ?? foundDefault;
      if (take < 1 || take > foundMax) throw invalid('first', `must be from 1 to ${foundMax}.`);
      const chosen = kinds == null ? readableKinds(context) : checkKinds(kinds, context);
      context.budget.expectObjects(take + chosen.length * objectsOfLookup);
      const found: Found[] = await findById(text, chosen, context);
      for (const kind of chosen) {
        await breathe(context);
        found.push(...(await findInTurn(kind, text, take, context)));
      }
      const unique = [...new Map(found.map((hit) => [hit.id, hit])).values()];
      return unique.sort((one, other) => (ageOf(one) < ageOf(other) ? 1 : -1)).slice(0, take);
    },
  }),
);

function readableKinds(context: Context): SearchedKind[] {
  return [...searched].filter((kind) => refusalOf(context, requirementTo('read', kind) ?? forEveryKey) === null);
}

/** Reads the kinds to search for. Throws INVALID_INPUT, and FORBIDDEN for one that the key may not read. */
function checkKinds(kinds: readonly string[], context: Context): SearchedKind[] {
  const chosen = new Set<SearchedKind>();
  for (const [index, name] of kinds.entries()) {
    const kind = [...searched].find((one) => one === name);
    if (kind === undefined) throw invalid(`kinds[${index}]`, `must be one of ${[...searched].join(', ')}.`);
    const refusal = refusalOf(context, requirementTo('read', kind) ?? forEveryKey);
    if (refusal !== null) throw refusal;
    chosen.add(kind);
  }
  return [...chosen];
}

/** Finds the object whose id is the text, however old it is. */
async function findById(text: string, kinds: readonly SearchedKind[], context: Context): Promise<Found[]> {
  const id = text.toLowerCase();
  const kind = kinds.find((one) => one === kindOfId(id));
  if (kind === undefined) return [];
  const [row] = await readRows(readsOf(kind), [id], context);
  return row == null ? [] : [{ kind, id, field: 'id', text: id }];
}

/** Searches one kind, in slices of which accounts take turns. */
async function findInTurn(kind: SearchedKind, text: string, take: number, context: Context): Promise<Found[]> {
  const { scope, budget, requestId } = context;
  return inSequence(requestId, async () => {
    const sought = { model: kind, fields: searchedFieldsOf(kind) ?? [], text, pace: paceOf(context) };
    const found = await scope.rows.search(sought, take);
    budget.charge(found.length * rowCost);
    return found.map((match) => ({ ...match, kind }));
  });
}

/** Returns a key that sorts ids of all kinds by age: after the prefix, ids begin with the time. */
function ageOf({ id }: Found): string {
  return id.slice(id.indexOf('_') + 1);
}
