// Counts the actual contents of an answer while it is made. One mechanism covers every list and every text in the schema, including
// introspection, so no new field can forget it.

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
import { isPromise } from '../../domain/concurrency/at-once.ts';
import { whenItMayGoOn } from '../../load/answer-slices.ts';
import { Budget } from '../../load/budget.ts';
import { innerListCost, textUnitBytes } from '../../load/limits.ts';
import type { Context } from '../kit/context.ts';
import { fieldOf } from '../kit/fields.ts';

type Resolver = GraphQLFieldResolver<unknown, Context | undefined>;

const counting = new WeakSet<Resolver>();
/** Counted text fields that are plain properties of their source. `chargeProperty` counts them without calling their resolver. */
const properties = new WeakSet<GraphQLField<unknown, unknown>>();

/** Makes every field that returns a list or text count its value, in a schema and in the introspection types. */
export function countAnswers(schema: GraphQLSchema): void {
  for (const type of [...Object.values(schema.getTypeMap()), ...introspectionTypes]) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      // All schemas of the process share the introspection types, so their fields may be counted already.
      if (!needsCounting(field) || isCounted(field)) continue;
      const resolve: Resolver = field.resolve ?? defaultFieldResolver;
      const isList = isListType(getNullableType(field.type));
      if (!isList && field.resolve === undefined) properties.add(field);
      field.resolve = isList ? countList(resolve) : countText(resolve);
      counting.add(field.resolve);
    }
  }
}

const smallScalars = ['ID', 'Int', 'Float', 'Boolean', 'DateTime', 'UInt32', 'Cidr', 'IpAddress'];

/** Returns whether the size of a field's value is not known in advance: it is a list, text, or JSON. */
export function needsCounting({ type }: GraphQLField<unknown, unknown>): boolean {
  const nullable = getNullableType(type);
  return isListType(nullable) || (isScalarType(nullable) && !smallScalars.includes(nullable.name));
}

/** Returns whether a field counts its value. */
export function isCounted({ resolve }: GraphQLField<unknown, unknown>): boolean {
  return resolve !== undefined && counting.has(resolve);
}

/** Returns whether a field is counted text that is a plain property of its source. */
export function isCountedProperty(field: GraphQLField<unknown, unknown>): boolean {
  return properties.has(field);
}

/**
 * Counts the text of such a field like its resolver, which would take several times as long: a page has hundreds of them.
 *
 * @throws QUERY_TOO_COMPLEX like the resolver
 */
export function chargeProperty(context: unknown, { operation }: OperationDefinitionNode, value: unknown): void {
  // Tools that print the schema execute without a context.
  const budget = typeof context === 'object' && context !== null && 'budget' in context ? context.budget : undefined;
  if (!(budget instanceof Budget)) return;
  if (budget.excess === null) chargeText(budget, value);
  else if (operation !== OperationTypeNode.QUERY) throw budget.excess;
}

/**
 * Makes a nullable field null, without an error, if the whole answer is refused. An error for each field would cost more than the
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

/** Returns whether an answer that got too large keeps the fields made so far: a newly created key is never shown again. */
function isAnsweredInPart({ operation }: GraphQLResolveInfo): boolean {
  return operation.operation !== OperationTypeNode.QUERY;
}

function countList(resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    // Tools that print the schema execute without a context.
    if (context === undefined || !(context.budget instanceof Budget)) return resolve(source, args, context, info);
    const { budget } = context;
    // If the whole answer is refused, its other fields need neither a value nor an error.
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

// Sizes of JSON values: the same value may be selected many times, under different names.
const sizes = new WeakMap<object, number>();

/** Returns the approximate length of a JSON value as text. Serializing it to find out would cost as much as answering it. */
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

// Widths of selections. A repeated document is the same object.
const widths = new WeakMap<SelectionSetNode, Map<GraphQLNamedType, number>>();

/** Returns the cost of a field without its contents: text is counted by its length, and a list with arguments costs a read. */
function ownCost(complexity: unknown): number {
  if (typeof complexity === 'function') return innerListCost;
  const isPrice = typeof complexity === 'object' && complexity !== null && 'field' in complexity;
  return isPrice && typeof complexity.field === 'number' ? complexity.field : 1;
}

/** Counts the fields of each object in a list, including those of nested objects but not of nested lists. */
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
