// Counts what an answer really holds while it is made. One mechanism for every list and every text of the schema,
// introspection included: a new field cannot forget it.

import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  introspectionTypes,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import { Budget } from './budget.ts';
import type { Context } from './context.ts';
import { fieldOf } from './fields.ts';
import { innerListCost, textUnitBytes } from './limits.ts';
import { whenItMayGoOn } from './slices.ts';

type Resolver = GraphQLFieldResolver<unknown, Context | undefined>;

const counting = new WeakSet<Resolver>();
/** Counted fields of text that are properties of what they are fields of: whoever counts such a text by `chargeProperty` needs no resolver. */
const properties = new WeakSet<GraphQLField<unknown, unknown>>();

/** Makes every field of a schema that gives a list or text count what it gives, and those of introspection as well. */
export function countAnswers(schema: GraphQLSchema): void {
  for (const type of [...Object.values(schema.getTypeMap()), ...introspectionTypes]) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      // The types of introspection are the same objects for every schema of the process.
      if (!needsCounting(field) || isCounted(field)) continue;
      const resolve: Resolver = field.resolve ?? defaultFieldResolver;
      const isList = isListType(getNullableType(field.type));
      if (!isList && field.resolve === undefined) properties.add(field);
      field.resolve = isList ? countList(resolve) : countText(resolve);
      counting.add(field.resolve);
    }
  }
}

/** Scalars whose values are small, whatever they are. */
const smallScalars = ['ID', 'Int', 'Float', 'Boolean', 'DateTime', 'UInt32', 'Cidr', 'IpAddress'];

/** Tells whether a field gives something without a size that is known beforehand: a list, text, or JSON. */
export function needsCounting({ type }: GraphQLField<unknown, unknown>): boolean {
  const nullable = getNullableType(type);
  return isListType(nullable) || (isScalarType(nullable) && !smallScalars.includes(nullable.name));
}

/** Tells whether what a field gives is counted. */
export function isCounted({ resolve }: GraphQLField<unknown, unknown>): boolean {
  return resolve !== undefined && counting.has(resolve);
}

/** Tells whether a field is text that is a property of what it is a field of, and counted. */
export function isCountedProperty(field: GraphQLField<unknown, unknown>): boolean {
  return properties.has(field);
}

/**
 * Counts such a text as the resolver of its field would, which takes several times as long: a page has hundreds of them.
 *
 * @throws QUERY_TOO_COMPLEX as the resolver
 */
export function chargeProperty(context: unknown, { operation }: OperationDefinitionNode, value: unknown): void {
  // Tools that print the schema execute without a context.
  const budget = typeof context === 'object' && context !== null && 'budget' in context ? context.budget : undefined;
  if (!(budget instanceof Budget)) return;
  if (budget.excess === null) chargeText(budget, value);
  else if (operation !== OperationTypeNode.QUERY) throw budget.excess;
}

/**
 * Makes a nullable field null, without an error, in an answer that is refused whole: an error in each place would cost more than the
 * fields (measured with source maps: 80 us each).
 */
export async function unlessRefused<T>(
  { budget }: Context,
  info: GraphQLResolveInfo,
  value: Promise<T>,
): Promise<T | null> {
  try {
    return await value;
  } catch (error) {
    if (error === budget.excess && !isAnsweredInPart(info)) return null;
    throw error;
  }
}

/** Tells whether what was answered before an answer got too large is kept: a key that a change made is never shown again. */
function isAnsweredInPart({ operation }: GraphQLResolveInfo): boolean {
  return operation.operation !== OperationTypeNode.QUERY;
}

function countList(resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    // Tools that print the schema execute without a context.
    if (context === undefined || !(context.budget instanceof Budget)) return resolve(source, args, context, info);
    const { budget } = context;
    // An answer that is refused whole needs neither its other fields nor an error in each of their places.
    const nothingMore = (error: unknown) => {
      if (error === budget.excess && !isAnsweredInPart(info)) return [];
      throw error;
    };
    if (budget.excess !== null) return nothingMore(budget.excess);
    try {
      const list = resolve(source, args, context, info);
      if (!isPromise(list)) return chargeList(context, list, info);
      return list.then((resolved) => chargeList(context, resolved, info)).catch(nothingMore);
    } catch (error) {
      return nothingMore(error);
    }
  };
}

function countText(resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    if (!(context?.budget instanceof Budget)) return resolve(source, args, context, info);
    const { budget } = context;
    if (budget.excess !== null && isAnsweredInPart(info)) throw budget.excess;
    const value = resolve(source, args, context, info);
    if (budget.excess !== null) return value;
    if (!isPromise(value)) return chargeText(budget, value);
    return value.then((resolved) => chargeText(budget, resolved));
  };
}

/** Tells a promise, Prisma's own kind among them, from data of a client, which may have a key `then` but no functions. */
function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function chargeList(context: Context, list: unknown, info: GraphQLResolveInfo): unknown {
  const { budget } = context;
  if (!Array.isArray(list)) return list;
  const type = getNamedType(info.returnType);
  if (isLeafType(type)) {
    budget.charge(list.length);
    for (const item of list) chargeText(budget, item);
    return list;
  }
  let width = 1;
  for (const { selectionSet } of info.fieldNodes) {
    if (selectionSet !== undefined) width += widthOf(selectionSet, type, info);
  }
  const cost = list.length * width;
  budget.count(cost);
  return whenItMayGoOn(context, cost, () => list);
}

// Sizes of JSON values: the same one may be asked for many times, under many names.
const sizes = new WeakMap<object, number>();

/** Tells how much text a JSON value holds, about: to write it out would cost as much as to answer it. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  let size = 2;
  for (const [key, member] of Object.entries(value)) size += key.length + sizeOf(member);
  return size;
}

function chargeText(budget: Budget, value: unknown): unknown {
  let size = 0;
  if (typeof value === 'string') {
    size = value.length;
  } else if (typeof value === 'object' && value !== null) {
    size = sizes.get(value) ?? sizeOf(value);
    sizes.set(value, size);
  }
  if (size > textUnitBytes) budget.chargeText(size);
  return value;
}

// Widths of selections. Documents that come again are the same objects.
const widths = new WeakMap<SelectionSetNode, Map<GraphQLNamedType, number>>();

/** Tells what a field costs besides what is in it: text is counted by its length, and a list that takes arguments is read. */
function ownCost(complexity: unknown): number {
  if (typeof complexity === 'function') return innerListCost;
  const isPrice = typeof complexity === 'object' && complexity !== null && 'field' in complexity;
  return isPrice && typeof complexity.field === 'number' ? complexity.field : 1;
}

/** Counts the fields that each object of a list gets, with those of the objects in it, but not of the lists in it. */
function widthOf(selectionSet: SelectionSetNode, type: GraphQLNamedType, info: GraphQLResolveInfo): number {
  const byType = widths.get(selectionSet) ?? new Map<GraphQLNamedType, number>();
  widths.set(selectionSet, byType);
  const known = byType.get(type);
  if (known !== undefined) return known;
  let width = 0;
  for (const node of selectionSet.selections) {
    if (node.kind === Kind.FIELD) {
      const field = fieldOf(type, node.name.value);
      width += ownCost(field?.extensions.complexity);
      if (field === undefined || node.selectionSet === undefined || isListType(getNullableType(field.type))) continue;
      width += widthOf(node.selectionSet, getNamedType(field.type), info);
    } else {
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : info.fragments[node.name.value];
      if (fragment === undefined) continue;
      const on = fragment.typeCondition && info.schema.getType(fragment.typeCondition.name.value);
      width += widthOf(fragment.selectionSet, on ?? type, info);
    }
  }
  byType.set(type, width);
  return width;
}
