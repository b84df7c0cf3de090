// Estimates the cost of an operation before it is executed. The actual cost is counted during execution (see `counting.ts`),
// because the document does not tell how long the lists will be.

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  getArgumentValues,
  getIntrospectionQuery,
  getNamedType,
  getOperationAST,
  isEnumType,
  isIntrospectionType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  TypeInfo,
  type TypeNode,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { SallyportError } from '../domain/errors.ts';
import { getOrInsertComputed } from '../domain/values/maps.ts';
import { introspectionMultiplier } from '../graphql/execution/introspection.ts';
import { givenFor } from '../graphql/execution/variables.ts';
import { coerceDefined } from '../graphql/executor/coercion.ts';
import { fieldOf } from '../graphql/kit/fields.ts';
import { schema } from '../graphql/schema.ts';
import { queryCostMax, queryDepthMax, queryFieldsMax } from './limits.ts';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Whether what the field itself costs is work that waits in a queue of its own. */
    hasQueue?: true;
  }
}

type Variables = Readonly<Record<string, unknown>>;

/** What a document asks for, estimated without the data. */
export interface Estimate {
  /** Nesting depth of its fields. */
  readonly depth: number;
  /** Number of top-level fields, with fragments expanded. */
  readonly roots: number;
  /** Number of fields, with fragments expanded. */
  readonly fields: number;
  /** Cost of the answer. Lists count with the size that is asked for or, by default, with their usual size. */
  readonly cost: number;
  /** The part of `cost` that is for work with a queue of its own, in which it waits without a slot among the answers. */
  readonly queued: number;
  /** The part of `cost` that is for introspection. */
  readonly introspection: number;
  /** Whether it only reads. The cost of a mutation is that of its change, which waits in other queues. */
  readonly isRead: boolean;
}

/** Estimates cached per document. Dashboards use few page sizes; beyond this number, each request is estimated anew. */
const estimatesMax = 16;

// Estimates by the key of `keyOf`. A repeated document is the same object as long as `documents.ts` caches it.
const estimatesOf = new WeakMap<DocumentNode, Map<string, Estimate>>();

/** Estimates the cost of an operation. */
export function estimateCost(
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Variables,
): Estimate {
  const operation = getOperationAST(document, operationName);
  if (operation == null) return { ...nothing, isRead: true };
  const estimates = estimatesOf.get(document) ?? new Map<string, Estimate>();
  estimatesOf.set(document, estimates);
  const priced = pricedVariables(document, operation);
  const key = keyOf(operation, priced, variables);
  const kept = key === null ? undefined : estimates.get(key);
  if (kept !== undefined) return kept;
  const estimate = estimateOperation(document, operation, priced, variables);
  if (key !== null && estimates.size < estimatesMax) estimates.set(key, estimate);
  return estimate;
}

/** Checks an estimate against the limits. Throws QUERY_TOO_COMPLEX if it exceeds one of them. */
export function checkEstimate({ depth, fields, cost, introspection }: Estimate): void {
  const check = (what: string, actual: number, max: number) => {
    if (actual <= max) return;
    throw new SallyportError(
      'QUERY_TOO_COMPLEX',
      `The query asks for ${Math.ceil(actual)} ${what}; at most ${Math.floor(max)} are allowed.`,
    );
  };
  check('fields deep', depth, queryDepthMax);
  check('fields in all', fields, queryFieldsMax);
  check('fields in the answer, by estimate', cost, queryCostMax);
  check('fields of introspection, by estimate', introspection, introspectionMax());
}

/** How much introspection a document may ask for, as a multiple of the largest query that tools send. */
const introspectionAllowance = 1.5;
let introspectionCost: number | undefined;

/** Returns the limit on introspection, which grows with the schema. */
function introspectionMax(): number {
  introspectionCost ??= estimateCost(parse(everythingOfIntrospection), null, {}).introspection;
  return introspectionCost * introspectionAllowance;
}

/** The introspection query of tools, with all options. */
const everythingOfIntrospection = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

const pricedVariablesOf = new WeakMap<OperationDefinitionNode, readonly VariableDefinitionNode[]>();

/** Returns the variables that the cost of an operation depends on: those in the arguments of fields with a computed price. */
function pricedVariables(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): readonly VariableDefinitionNode[] {
  return getOrInsertComputed(pricedVariablesOf, operation, ({ variableDefinitions = [] }) => {
    if (variableDefinitions.length === 0) return variableDefinitions;
    const names = new Set<string>();
    const types = new TypeInfo(schema);
    const visitor = visitWithTypeInfo(types, {
      VariableDefinition: () => false,
      Directive: () => false,
      Argument: () => (typeof complexityOf(types.getFieldDef()) === 'function' ? undefined : false),
      Variable: ({ name }) => void names.add(name.value),
    });
    visit(document, visitor);
    return variableDefinitions.filter(({ variable }) => names.has(variable.name.value));
  });
}

/**
 * Returns a cache key of everything that the cost of an operation depends on: the values of its priced variables. The content of
 * free text does not matter, because it is neither a size nor a choice. Null if a priced variable holds a list or an object.
 */
function keyOf(
  operation: OperationDefinitionNode,
  priced: readonly VariableDefinitionNode[],
  variables: Variables,
): string | null {
  const values: unknown[] = [operation.name?.value];
  for (const { variable, type } of priced) {
    const value = givenFor(variable.name.value, variables);
    if (typeof value === 'object' && value !== null) return null;
    // A list cannot be one of the values, so an empty list stands for a value that is not given.
    values.push(typeof value === 'string' && !isChoice(type) ? '' : value === undefined ? [] : value);
  }
  return JSON.stringify(values);
}

/** Returns whether a type is an enum. */
function isChoice(type: TypeNode): boolean {
  if (type.kind === Kind.NON_NULL_TYPE) return isChoice(type.type);
  return type.kind === Kind.NAMED_TYPE && isEnumType(schema.getType(type.name.value));
}

const nothing: Part = { depth: 0, roots: 0, fields: 0, cost: 0, queued: 0, costOfEach: 0, introspection: 0 };

interface Part extends Omit<Estimate, 'isRead'> {
  /** The cost to multiply by the length of the page, if the part is selected on a page. */
  readonly costOfEach: number;
}

function estimateOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  priced: readonly VariableDefinitionNode[],
  variables: Variables,
): Estimate {
  const root = schema.getRootType(operation.operation);
  if (root == null) return { ...nothing, isRead: true };
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
  // Values that do not fit their types are refused before execution.
  const { coerced = {} } = coerceDefined(schema, priced, variables);
  const { costOfEach: _none, ...estimate } = new Estimator(fragments, coerced).selection(operation.selectionSet, root);
  return { isRead: operation.operation === OperationTypeNode.QUERY, ...estimate };
}

/** Estimates the parts of one document. Each part is visited once, however often fragments repeat it. */
class Estimator {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Variables;
  readonly #known = new Map<SelectionSetNode, Map<GraphQLNamedType, Part>>();

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>, variables: Variables) {
    this.#fragments = fragments;
    this.#variables = variables;
  }

  selection(selectionSet: SelectionSetNode, type: GraphQLNamedType): Part {
    const byType = this.#known.get(selectionSet) ?? new Map<GraphQLNamedType, Part>();
    this.#known.set(selectionSet, byType);
    const known = byType.get(type);
    if (known !== undefined) return known;
    const sum = { ...nothing };
    for (const node of selectionSet.selections) {
      const part = node.kind === Kind.FIELD ? this.#field(node, type) : this.#fragment(node, type);
      sum.depth = Math.max(sum.depth, part.depth);
      sum.roots += part.roots;
      sum.fields += part.fields;
      sum.cost += part.cost;
      sum.queued += part.queued;
      sum.costOfEach += part.costOfEach;
      sum.introspection += part.introspection;
    }
    byType.set(type, sum);
    return sum;
  }

  #fragment(node: Exclude<SelectionSetNode['selections'][number], FieldNode>, type: GraphQLNamedType): Part {
    const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.#fragments.get(node.name.value);
    if (fragment === undefined) return nothing;
    const on = fragment.typeCondition === undefined ? type : schema.getType(fragment.typeCondition.name.value);
    return on === undefined ? nothing : this.selection(fragment.selectionSet, on);
  }

  #field(node: FieldNode, type: GraphQLNamedType): Part {
    const field = fieldOf(type, node.name.value);
    if (field === undefined) return nothing;
    const { own, multiplier } = this.#price(field, node, type);
    const inner =
      node.selectionSet === undefined ? nothing : this.selection(node.selectionSet, getNamedType(field.type));
    const isOfPage = field.extensions.isOfPage === true;
    // The count and the page info of a page are there once, not once per object.
    const cost = own + (isPage(field) ? inner.cost + multiplier * inner.costOfEach : multiplier * inner.cost);
    return {
      depth: 1 + inner.depth,
      roots: 1,
      fields: 1 + inner.fields,
      cost: isOfPage ? 0 : cost,
      queued: field.extensions.hasQueue === true ? own : inner.queued,
      costOfEach: isOfPage ? cost : 0,
      introspection: isIntrospectionType(getNamedType(field.type)) ? cost : multiplier * inner.introspection,
    };
  }

  #price(field: GraphQLField<unknown, unknown>, node: FieldNode, type: GraphQLNamedType) {
    const multiplier = introspectionMultiplier(type.name, field.name);
    if (multiplier !== undefined) return { own: 1, multiplier };
    const declared = complexityOf(field);
    const price =
      typeof declared === 'function' ? declared(getArgumentValues(field, node, this.#variables)) : (declared ?? 1);
    return typeof price === 'number'
      ? { own: price, multiplier: 1 }
      : { own: price.field ?? 1, multiplier: Math.max(0, price.multiplier ?? 1) };
  }
}

/** Returns whether a field returns a page: a type whose `edges` field is marked as `isOfPage`. */
function isPage({ type }: GraphQLField<unknown, unknown>): boolean {
  const given = getNamedType(type);
  return isObjectType(given) && given.getFields().edges?.extensions.isOfPage === true;
}

function complexityOf(field: GraphQLField<unknown, unknown> | null | undefined): Complexity | undefined {
  return field?.extensions.complexity as Complexity | undefined; // the Pothos plugin puts it there
}

type Price = number | { field?: number; multiplier?: number };
type Complexity = Price | ((args: Record<string, unknown>) => Price);
