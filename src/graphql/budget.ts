// Counts what an answer really holds while it is made, and makes large answers in slices. One mechanism for every list
// and every text of the schema, introspection included: a new field cannot forget it.

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
  type SelectionSetNode,
} from 'graphql';
import { SallyportError } from '../domain/errors.ts';
import type { Context } from './context.ts';
import { fieldOf } from './fields.ts';
import {
  answerBytesMax,
  answerFieldsMax,
  innerListCost,
  largeOperationCost,
  textBytesOfField,
  textUnitBytes,
} from './limits.ts';
import { inLaterTurn, isTurnSpent, noteWork } from './pacing.ts';

/** A place among the large answers. */
export interface Place {
  readonly isTaken: boolean;
  /** Takes the place when it is the turn of the account. Throws UNAVAILABLE when too many wait for one. */
  take(): Promise<void>;
}

/** The place of answers that nobody has to wait for. */
const everywhere: Place = { isTaken: true, take: async () => {} };

/** How many times the estimate of its introspection an answer may have: estimates are averages over the schema. */
const estimateTolerance = 1.5;

/** What the answer to one request may hold, and holds so far. */
export class Budget {
  #fields = 0;
  #textBytes = 0;
  #fieldsMax = answerFieldsMax;
  readonly #isBounded: boolean;
  #excess: SallyportError | null = null;
  /** The place among the few large answers that are made at once, which an answer takes when it gets large. */
  place: Place = everywhere;

  /** @param isBounded false for documents of our own, whose answers are bounded by what they ask for */
  constructor(isBounded: boolean) {
    this.#isBounded = isBounded;
  }

  /** Makes room for the introspection that a document asks for, if that is more than other answers may have. */
  expectIntrospection(fields: number): void {
    this.#fieldsMax = Math.max(answerFieldsMax, Math.ceil(fields * estimateTolerance));
  }

  /** What has been counted so far, in the units of costs. */
  get spent(): number {
    return this.#fields + this.#textBytes / textUnitBytes;
  }

  /**
   * Counts fields of the answer before they are made, or rows before they are read.
   *
   * @throws QUERY_TOO_COMPLEX when the answer gets too large
   */
  charge(fields: number): void {
    noteWork(fields);
    this.count(fields);
  }

  /** Counts fields of the answer that are made later. Throws as `charge`. */
  count(fields: number): void {
    this.#fields += fields;
    if (this.#fields > this.#fieldsMax + this.#textBytes / textBytesOfField) this.#refuse(`${this.#fieldsMax} fields`);
  }

  /** Counts text of the answer, or of rows that are read for it, in bytes. Throws as `charge`. */
  chargeText(bytes: number): void {
    noteWork(bytes / textUnitBytes);
    this.countText(bytes);
  }

  /** Counts text of the answer that is made later. Throws as `charge`. */
  countText(bytes: number): void {
    this.#textBytes += bytes;
    if (this.#textBytes > answerBytesMax) this.#refuse(`${answerBytesMax} bytes of text`);
  }

  /** Why the answer is refused; null as long as it is not too large. */
  get excess(): SallyportError | null {
    return this.#excess;
  }

  #refuse(bound: string): void {
    if (!this.#isBounded) return;
    this.#excess ??= new SallyportError(
      'QUERY_TOO_COMPLEX',
      `The answer would have more than ${bound}. Ask for fewer fields or smaller pages.`,
    );
    throw this.#excess;
  }
}

/** Cost up to which an answer is made without ever waiting: small ones never wait for large ones. */
const smallAnswerCost = 2_000;

/** Tells whether an answer has become so large that it is made in slices. */
export function isLargeAnswer({ spent }: Budget): boolean {
  return spent > smallAnswerCost;
}

type Resolver = GraphQLFieldResolver<unknown, Context | undefined>;

const counting = new WeakSet<Resolver>();

/** Makes every field of a schema that gives a list or text count what it gives, and those of introspection as well. */
export function countAnswers(schema: GraphQLSchema): void {
  for (const type of [...Object.values(schema.getTypeMap()), ...introspectionTypes]) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      // The types of introspection are the same objects for every schema of the process.
      if (!needsCounting(field) || isCounted(field)) continue;
      const resolve: Resolver = field.resolve ?? defaultFieldResolver;
      field.resolve = isListType(getNullableType(field.type)) ? countList(resolve) : countText(resolve);
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

function countList(resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    // Tools that print the schema execute without a context.
    if (context === undefined || !(context.budget instanceof Budget)) return resolve(source, args, context, info);
    const { budget } = context;
    // The rest of an answer that is refused is not worth the work, nor an error in each of its places.
    const nothingMore = (error: unknown) => {
      if (error === budget.excess) return [];
      throw error;
    };
    if (budget.excess !== null) return [];
    try {
      const list = resolve(source, args, context, info);
      if (!isPromise(list)) return chargeList(context, list, info);
      return list.then((resolved) => chargeList(context, resolved, info)).catch(nothingMore);
    } catch (error) {
      return nothingMore(error);
    }
  };
}

/**
 * Makes a field's reader of large stored texts: each text of a row is counted and read once, under however many names
 * the document asks for it, and in a later turn of the event loop if the answer is large and enough has been done in this
 * one. The reader throws QUERY_TOO_COMPLEX, and whatever `read` throws.
 */
export function pacedReader<T>(
  read: (text: string) => T,
): (context: Context, row: object, text: string) => T | Promise<T> {
  // Rows are read anew for each request.
  const readOf = new WeakMap<object, Map<string, T | Promise<T>>>();
  return (context, row, text) => {
    const known = readOf.get(row) ?? new Map<string, T | Promise<T>>();
    readOf.set(row, known);
    const before = known.get(text);
    if (before !== undefined) return before;
    context.budget.countText(text.length);
    const value = whenItMayGoOn(context, text.length / textUnitBytes, () => read(text));
    known.set(text, value);
    return value;
  };
}

/** Gives everybody else a turn of the event loop if the answer is large and enough has been done in this one. */
export async function breathe(context: Context): Promise<void> {
  await whenItMayGoOn(context, 0, () => {});
}

/** Goes on with an answer: at once with a small one; with a large one, once it has a place and the turn is not spent. */
function whenItMayGoOn<T>(context: Context, cost: number, work: () => T): T | Promise<T> {
  const { budget, identity } = context;
  // While this part of the answer waited, another may have made it too large.
  if (budget.excess !== null) throw budget.excess;
  if (budget.spent > largeOperationCost && !budget.place.isTaken) {
    return budget.place.take().then(() => whenItMayGoOn(context, cost, work));
  }
  if (isLargeAnswer(budget) && isTurnSpent(cost)) {
    return inLaterTurn(identity.accountId, cost, () => {
      if (budget.excess !== null) throw budget.excess;
      return work();
    });
  }
  noteWork(cost);
  return work();
}

function countText(resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    const value = resolve(source, args, context, info);
    if (!(context?.budget instanceof Budget)) return value;
    const { budget } = context;
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
