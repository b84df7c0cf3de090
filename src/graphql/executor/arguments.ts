// The arguments of a planned field. GraphQL.js computes them from the node in each execution (GraphQL, section 6.4.1); here, what
// depends on the node alone is looked up once. Like everything in a plan, the result is data.

import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  getArgumentValues,
  getNullableType,
  isInputObjectType,
  isNonNullType,
  Kind,
  type ObjectFieldNode,
  type ValueNode,
  valueFromAST,
} from 'graphql';

/** Coerced values of variables. */
export type Variables = Readonly<Record<string, unknown>>;

/** An argument, or a field of an input object, that is given, has a default, or must not be null. */
export interface PlannedArgument {
  readonly name: string;
  readonly isNonNull: boolean;
  readonly defaultValue: unknown;
  /** Undefined if no value is given. */
  readonly value: PlannedValue | undefined;
}

type PlannedValue =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'object'; readonly planned: readonly PlannedArgument[] }
  | { readonly kind: 'literal'; readonly node: ValueNode; readonly type: GraphQLInputType };

/** The part of a planned field that concerns its arguments. */
interface TakingArguments {
  readonly field: GraphQLField<unknown, unknown>;
  /** The nodes that select the field. Its arguments are taken from the first. */
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly planned: readonly PlannedArgument[];
}

/** Shared, because most fields have no arguments. */
const noArguments: readonly PlannedArgument[] = [];

/** Plans the arguments of a field. */
export function planArguments({ args }: GraphQLField<unknown, unknown>, node: FieldNode): readonly PlannedArgument[] {
  return args.length === 0 ? noArguments : planFields(args, node.arguments);
}

/** Counts arguments, including those in input objects. */
export function countArguments(planned: readonly PlannedArgument[]): number {
  return planned.reduce(
    (sum, { value }) => sum + 1 + (value?.kind === 'object' ? countArguments(value.planned) : 0),
    0,
  );
}

/** Returns the arguments for the given variables, as `getArgumentValues` does. Throws `GraphQLError` if they are not valid. */
export function readArguments({ field, nodes, planned }: TakingArguments, variables: Variables): Variables {
  const values = {};
  // If a value is invalid, GraphQL.js throws the error that explains it.
  return fill(values, planned, variables) ? values : getArgumentValues(field, nodes[0], variables);
}

function planFields(
  planned: readonly { readonly name: string; readonly type: GraphQLInputType; readonly defaultValue?: unknown }[],
  nodes: readonly (ArgumentNode | ObjectFieldNode)[] = [],
): PlannedArgument[] {
  const given = new Map(nodes.map(({ name, value }) => [name.value, value]));
  return planned.flatMap(({ name, type, defaultValue }) => {
    const node = given.get(name);
    const isNonNull = isNonNullType(type);
    // True of most fields of a large input object.
    if (node === undefined && defaultValue === undefined && !isNonNull) return [];
    return [{ name, isNonNull, defaultValue, value: node === undefined ? undefined : planValue(type, node) }];
  });
}

function planValue(type: GraphQLInputType, node: ValueNode): PlannedValue {
  if (node.kind === Kind.VARIABLE) return { kind: 'variable', name: node.name.value };
  const expected = getNullableType(type);
  return node.kind === Kind.OBJECT && isInputObjectType(expected) && !expected.isOneOf
    ? { kind: 'object', planned: planFields(Object.values(expected.getFields()), node.fields) }
    : { kind: 'literal', node, type };
}

/** Fills `into` with the values of the arguments. Returns false if one of them is not valid. */
function fill(into: Record<string, unknown>, planned: readonly PlannedArgument[], variables: Variables): boolean {
  for (const { name, isNonNull, defaultValue, value } of planned) {
    const isGiven = value !== undefined && (value.kind !== 'variable' || Object.hasOwn(variables, value.name));
    if (!isGiven && defaultValue === undefined && !isNonNull) continue;
    const read = isGiven ? readValue(value, variables) : defaultValue;
    if (read === undefined || (read === null && isNonNull)) return false;
    into[name] = read;
  }
  return true;
}

/** Returns undefined for an invalid value. */
function readValue(value: PlannedValue, variables: Variables): unknown {
  if (value.kind === 'variable') return variables[value.name];
  if (value.kind === 'literal') return valueFromAST(value.node, value.type, variables);
  // Without a prototype, as GraphQL.js creates it.
  const values: Record<string, unknown> = Object.create(null);
  return fill(values, value.planned, variables) ? values : undefined;
}
