// The plan of an operation: everything that it asks for, looked up in the schema once. `executor.ts` follows it in every execution.
// A plan is data and no code is generated from it, so nothing that a client sends can become code.

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
  visit,
} from 'graphql';
import { fieldOf, isAsked } from '../kit/fields.ts';
import { isCountedProperty } from '../wrappers/counting.ts';
import { countArguments, type PlannedArgument, planArguments, type Variables } from './arguments.ts';

/** How the values of a type are completed (GraphQL, section 6.4.3). */
export type Completion = { readonly isNonNull: boolean } & (
  | { readonly kind: 'leaf'; readonly type: GraphQLLeafType }
  | { readonly kind: 'list'; readonly item: Completion }
  | { readonly kind: 'object'; readonly type: GraphQLObjectType }
  | { readonly kind: 'abstract'; readonly type: GraphQLAbstractType }
);

export interface PlannedField {
  /** Its name in the answer. */
  readonly name: string;
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly parentType: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  /** Undefined for a plain property of the source. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** Whether it has a resolver but is a plain property, whose text can be counted without calling the resolver. */
  readonly isCountedProperty: boolean;
  readonly completion: Completion;
  readonly planned: readonly PlannedArgument[];
  /** Its constant value, if it is `__typename`. */
  readonly constant: string | undefined;
  /** The selections of its objects by type, each planned when its first object comes. Undefined if the field has no objects. */
  readonly selections: Map<GraphQLObjectType, PlannedSelection> | undefined;
}

/** The fields of an object in an answer. */
export interface PlannedSelection {
  readonly fields: readonly PlannedField[];
  /**
   * A template object with all names and null values. V8 gives all copies of it one shape, which is fast to fill and to serialize.
   * All names are own properties, even `__proto__`.
   */
  readonly blank: Readonly<Record<string, unknown>>;
}

/** Notes by how many bytes a cached plan has grown. */
type NotePlanned = (bytes: number) => void;

/** Memory of a plan, of each of its fields, and of each of their arguments, in bytes (measured). */
const planBytes = 2_000;
const fieldBytes = 400;
const argumentBytes = 250;

/** The plan of an operation, for certain values of the variables in its `@skip` and `@include` directives. */
export class Plan {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly #variables: Variables;
  readonly #notePlanned: NotePlanned;
  #root: PlannedSelection | undefined;

  constructor(
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    fragments: Readonly<Record<string, FragmentDefinitionNode>>,
    conditions: Variables,
    notePlanned: NotePlanned,
  ) {
    this.schema = schema;
    this.#notePlanned = notePlanned;
    this.operation = operation;
    this.fragments = fragments;
    this.#variables = conditions;
  }

  /** Returns the top-level selection. Throws `GraphQLError` for a condition without a value, or an unsupported operation type. */
  root(): PlannedSelection {
    if (this.#root !== undefined) return this.#root;
    const type = this.schema.getRootType(this.operation.operation);
    if (type == null)
      throw new GraphQLError(`The schema has no ${this.operation.operation}.`, { nodes: this.operation });
    this.#root = this.#plan(type, [this.operation.selectionSet]);
    return this.#root;
  }

  /** Returns the selection of a field's object of the given type. Throws as `root`. */
  selectionOf({ nodes, selections }: PlannedField, type: GraphQLObjectType): PlannedSelection {
    const known = selections?.get(type);
    if (known !== undefined) return known;
    const sets = nodes.flatMap(({ selectionSet }) => (selectionSet === undefined ? [] : [selectionSet]));
    const selection = this.#plan(type, sets);
    selections?.set(type, selection);
    return selection;
  }

  #plan(type: GraphQLObjectType, selectionSets: readonly SelectionSetNode[]): PlannedSelection {
    const found = new Map<string, [FieldNode, ...FieldNode[]]>();
    const visited = new Set<string>();
    for (const selectionSet of selectionSets) this.#collect(selectionSet, type, found, visited);
    const fields: PlannedField[] = [];
    for (const [name, nodes] of found) {
      const field = fieldOf(type, nodes[0].name.value);
      if (field !== undefined) fields.push(planField(name, nodes, type, field));
    }
    const argumentCount = fields.reduce((sum, { planned }) => sum + countArguments(planned), 0);
    this.#notePlanned(fields.length * fieldBytes + argumentCount * argumentBytes);
    return { fields, blank: Object.fromEntries(fields.map(({ name }) => [name, null])) };
  }

  /** Collects the fields of a selection, including those of its fragments (GraphQL, section 6.3.2). */
  #collect(
    { selections }: SelectionSetNode,
    type: GraphQLObjectType,
    found: Map<string, [FieldNode, ...FieldNode[]]>,
    visited: Set<string>,
  ): void {
    for (const node of selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD && visited.has(node.name.value)) continue;
      if (!isAsked(node, this.#variables)) continue;
      if (node.kind === Kind.FIELD) {
        const name = node.alias?.value ?? node.name.value;
        const before = found.get(name);
        if (before === undefined) found.set(name, [node]);
        else before.push(node);
        continue;
      }
      if (node.kind === Kind.FRAGMENT_SPREAD) visited.add(node.name.value);
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.fragments[node.name.value];
      if (fragment !== undefined && this.#isOf(type, fragment.typeCondition?.name.value))
        this.#collect(fragment.selectionSet, type, found, visited);
    }
  }

  #isOf(type: GraphQLObjectType, condition: string | undefined): boolean {
    if (condition === undefined || condition === type.name) return true;
    const abstract = this.schema.getType(condition);
    return isAbstractType(abstract) && this.schema.isSubType(abstract, type);
  }
}

function fragmentsOf({ definitions }: DocumentNode): Readonly<Record<string, FragmentDefinitionNode>> {
  // Without a prototype, whose property names would look like fragments.
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const node of definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments[node.name.value] = node;
  return fragments;
}

function planField(
  name: string,
  nodes: readonly [FieldNode, ...FieldNode[]],
  parentType: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
): PlannedField {
  const [node] = nodes;
  return {
    name,
    nodes,
    parentType,
    field,
    resolve: field.resolve,
    isCountedProperty: isCountedProperty(field),
    completion: completionOf(field.type),
    planned: planArguments(field, node),
    constant: field === TypeNameMetaFieldDef ? parentType.name : undefined,
    selections: node.selectionSet === undefined ? undefined : new Map(),
  };
}

const completions = new WeakMap<GraphQLOutputType, Completion>();

function completionOf(type: GraphQLOutputType): Completion {
  const known = completions.get(type) ?? makeCompletion(type);
  completions.set(type, known);
  return known;
}

function makeCompletion(type: GraphQLOutputType): Completion {
  const isNonNull = isNonNullType(type);
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { kind: 'list', isNonNull, item: completionOf(nullable.ofType) };
  if (isLeafType(nullable)) return { kind: 'leaf', isNonNull, type: nullable };
  if (isAbstractType(nullable)) return { kind: 'abstract', isNonNull, type: nullable };
  return { kind: 'object', isNonNull, type: nullable };
}

const conditionsOfOperation = new WeakMap<OperationDefinitionNode, readonly string[]>();

/** Returns the names of the variables in directives, which decide which fields an operation selects. */
function conditionsOf(
  operation: OperationDefinitionNode,
  fragments: Readonly<Record<string, FragmentDefinitionNode>>,
): readonly string[] {
  const known = conditionsOfOperation.get(operation);
  if (known !== undefined) return known;
  const names = new Set<string>();
  const ofDirective = { Variable: ({ name }: { name: { value: string } }) => void names.add(name.value) };
  for (const part of [operation, ...Object.values(fragments)]) {
    // This includes directives on definitions, which are not conditions but do no harm.
    visit(part, { Directive: (node) => void visit(node, ofDirective) });
  }
  const conditions = [...names];
  conditionsOfOperation.set(operation, conditions);
  return conditions;
}

const isConditionValue = (value: unknown) => typeof value === 'boolean' || value === null;

/** Most plans cached per operation: an operation with ten conditions could have a thousand. */
const plansMax = 16;
const plansOf = new WeakMap<OperationDefinitionNode, Map<string, Plan>>();

/** Returns the plan of an operation in a validated document: the same plan for the same conditions, as long as it is cached. */
export function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
  notePlanned: NotePlanned,
): Plan {
  const plans = plansOf.get(operation) ?? new Map<string, Plan>();
  plansOf.set(operation, plans);
  const names = conditionsOfOperation.get(operation) ?? conditionsOf(operation, fragmentsOf(document));
  // A condition is true or false; null or no value is an error. A variable with any other value is not a condition of this
  // operation, but a fragment of another operation has a condition of that name. The key omits such values, because a client can
  // make them any length.
  const given = names.filter((name) => Object.hasOwn(variables, name) && isConditionValue(variables[name]));
  const conditions = Object.fromEntries(given.map((name) => [name, variables[name]]));
  const key = names.map((name) => (Object.hasOwn(conditions, name) ? `${conditions[name]}` : '-')).join();
  const known = plans.get(key);
  if (known !== undefined) return known;
  const isKept = plans.size < plansMax;
  const plan = new Plan(schema, operation, fragmentsOf(document), conditions, isKept ? notePlanned : () => {});
  if (isKept) {
    plans.set(key, plan);
    notePlanned(planBytes);
  }
  return plan;
}
