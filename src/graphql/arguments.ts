// The arguments of a planned field: what GraphQL.js makes of its node in each execution (GraphQL, section 6.4.1), without looking up anew
// what the node alone decides. Like all of a plan, this is data.

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

/** Values of variables, as they were coerced. */
export type Variables = Readonly<Record<string, unknown>>;

/** An argument, or a field of an input object, that is given or has something to say when it is not. */
export interface PlannedPlace {
  readonly name: string;
  readonly isNonNull: boolean;
  readonly defaultValue: unknown;
  /** Undefined where nothing is given. */
  readonly value: PlannedValue | undefined;
}

type PlannedValue =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'object'; readonly places: readonly PlannedPlace[] }
  | { readonly kind: 'literal'; readonly node: ValueNode; readonly type: GraphQLInputType };

/** A field of an answer, as far as its arguments go. */
interface TakingArguments {
  readonly field: GraphQLField<unknown, unknown>;
  /** The places that ask for it: the first one gives its arguments. */
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly places: readonly PlannedPlace[];
}

/** Most fields have none. */
const noPlaces: readonly PlannedPlace[] = [];

/** Looks up what there is to know of the arguments of a field. */
export function planArguments({ args }: GraphQLField<unknown, unknown>, node: FieldNode): readonly PlannedPlace[] {
  return args.length === 0 ? noPlaces : planPlaces(args, node.arguments);
}

/** Counts places, with those in input objects. */
export function countPlaces(places: readonly PlannedPlace[]): number {
  return places.reduce((sum, { value }) => sum + 1 + (value?.kind === 'object' ? countPlaces(value.places) : 0), 0);
}

/** Gives the arguments for some values of the variables, as `getArgumentValues` does. Throws `GraphQLError` where they are not valid. */
export function readArguments({ field, nodes, places }: TakingArguments, variables: Variables): Variables {
  const values = {};
  // What is not valid, and why, is said by GraphQL.js.
  return fill(values, places, variables) ? values : getArgumentValues(field, nodes[0], variables);
}

function planPlaces(
  places: readonly { readonly name: string; readonly type: GraphQLInputType; readonly defaultValue?: unknown }[],
  nodes: readonly (ArgumentNode | ObjectFieldNode)[] = [],
): PlannedPlace[] {
  const given = new Map(nodes.map(({ name, value }) => [name.value, value]));
  return places.flatMap(({ name, type, defaultValue }) => {
    const node = given.get(name);
    const isNonNull = isNonNullType(type);
    // Most fields of a large input object.
    if (node === undefined && defaultValue === undefined && !isNonNull) return [];
    return [{ name, isNonNull, defaultValue, value: node === undefined ? undefined : planValue(type, node) }];
  });
}

function planValue(type: GraphQLInputType, node: ValueNode): PlannedValue {
  if (node.kind === Kind.VARIABLE) return { kind: 'variable', name: node.name.value };
  const expected = getNullableType(type);
  return node.kind === Kind.OBJECT && isInputObjectType(expected) && !expected.isOneOf
    ? { kind: 'object', places: planPlaces(Object.values(expected.getFields()), node.fields) }
    : { kind: 'literal', node, type };
}

/** Puts values into their places. Gives false where one is not valid. */
function fill(into: Record<string, unknown>, places: readonly PlannedPlace[], variables: Variables): boolean {
  for (const { name, isNonNull, defaultValue, value } of places) {
    const isGiven = value !== undefined && (value.kind !== 'variable' || Object.hasOwn(variables, value.name));
    if (!isGiven && defaultValue === undefined && !isNonNull) continue;
    const read = isGiven ? readValue(value, variables) : defaultValue;
    if (read === undefined || (read === null && isNonNull)) return false;
    into[name] = read;
  }
  return true;
}

/** Gives undefined for what is not valid. */
function readValue(value: PlannedValue, variables: Variables): unknown {
  if (value.kind === 'variable') return variables[value.name];
  if (value.kind === 'literal') return valueFromAST(value.node, value.type, variables);
  // As GraphQL.js makes it: without a prototype.
  const values: Record<string, unknown> = Object.create(null);
  return fill(values, value.places, variables) ? values : undefined;
}
