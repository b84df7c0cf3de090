// Coerces the values of variables to their types (GraphQL, section 6.1.2). GraphQL.js looks up the types in each execution, but for
// most variables, strings and numbers, a `typeof` check is enough.

import {
  GraphQLID,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLLeafType,
  type GraphQLList,
  type GraphQLSchema,
  GraphQLString,
  type GraphQLType,
  getNullableType,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import { getOrInsertComputed } from '../../domain/values/maps.ts';
import { errorsMax } from '../../load/limits.ts';

type Values = Readonly<Record<string, unknown>>;

/** A variable that takes a string or a whole number. */
interface PlainVariable {
  readonly name: string;
  readonly takes: 'string' | 'number';
  readonly required: boolean;
}

/** Bounds the errors and their cost: see `findErrors`. */
export const coercionOptions = { maxErrors: errorsMax, hideSuggestions: true };

const plainVariables = new WeakMap<OperationDefinitionNode, readonly PlainVariable[] | null>();

/**
 * Coerces the values of the variables of an operation, with the same result as `getVariableValues` of GraphQL.js (tested); of many
 * errors, only the first ones, and one that says so.
 */
export function coerceVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  values: Values,
): ReturnType<typeof getVariableValues> {
  const plain = getOrInsertComputed(plainVariables, operation, () => readPlain(schema, operation));
  const coerced = plain && coercePlain(plain, values);
  if (coerced !== null) return { coerced };
  return coerceDefined(schema, operation.variableDefinitions ?? [], values);
}

/** Reads the variables of an operation; null if one of them has another type or a default, or is called `__proto__`. */
function readPlain(schema: GraphQLSchema, operation: OperationDefinitionNode): readonly PlainVariable[] | null {
  const plain: PlainVariable[] = [];
  for (const definition of operation.variableDefinitions ?? []) {
    const { variable, defaultValue } = definition;
    const type = typeOfVariable(schema, definition);
    const nullable = getNullableType(type);
    const isText = nullable === GraphQLString || nullable === GraphQLID;
    const name = variable.name.value;
    if (defaultValue !== undefined || name === '__proto__' || !(isText || nullable === GraphQLInt)) return null;
    plain.push({ name, takes: isText ? 'string' : 'number', required: isNonNullType(type) });
  }
  return plain;
}

const typesOf = new WeakMap<VariableDefinitionNode, GraphQLType | undefined>();

/** Returns the declared type of a variable, always the same object; undefined if there is no such type. */
export function typeOfVariable(schema: GraphQLSchema, definition: VariableDefinitionNode): GraphQLType | undefined {
  // `typeFromAST` has one overload per kind of type node, so the union of all kinds fits none of them.
  return getOrInsertComputed(typesOf, definition, ({ type }) =>
    typeFromAST(schema, type as Parameters<typeof typeFromAST>[1]),
  );
}

/** Returns the values; null if one of them has another type, which may be an error. */
function coercePlain(variables: readonly PlainVariable[], values: Values): Record<string, unknown> | null {
  const coerced: Record<string, unknown> = {};
  for (const { name, takes, required } of variables) {
    if (!Object.hasOwn(values, name)) {
      if (required) return null;
      continue;
    }
    const value = values[name];
    // `| 0` changes every number that is not a 32-bit integer.
    if (typeof value !== takes || (typeof value === 'number' && value !== (value | 0))) return null;
    coerced[name] = value;
  }
  return coerced;
}

type Coercer = (value: unknown) => unknown;

/** A coerced object or list, and the type to which it was coerced. */
interface Coerced {
  readonly type: GraphQLInputType;
  readonly value: unknown;
}

const coercers = new WeakMap<GraphQLInputType, Coercer>();
/** The latest result of `coerceValue` for each object and list. Requests share none. */
const coercedOf = new WeakMap<object, Coerced>();

/**
 * Coerces a value to its type, as `coerceInputValue` of GraphQL.js does, in a third of the time: a policy of 2,000 actions took 9 ms.
 * Objects and lists are coerced once, however often a request asks: when its variables are checked, estimated and executed.
 *
 * @returns undefined if the value may be invalid: GraphQL.js decides, and says why
 */
export function coerceValue(value: unknown, type: GraphQLInputType): unknown {
  if (typeof value !== 'object' || value === null) return coercerOf(type)(value);
  const known = coercedOf.get(value);
  if (known?.type === type) return known.value;
  const coerced = coercerOf(type)(value);
  if (coerced !== undefined) coercedOf.set(value, { type, value: coerced });
  return coerced;
}

/** Coerces the values of some variables, as `coerceVariables`. */
export function coerceDefined(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  values: Values,
): ReturnType<typeof getVariableValues> {
  const coerced: Record<string, unknown> = Object.create(null);
  const others: VariableDefinitionNode[] = [];
  for (const definition of definitions) {
    const name = definition.variable.name.value;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const type = typeof value === 'object' && value !== null ? typeOfVariable(schema, definition) : undefined;
    const one = isInputType(type) ? coerceValue(value, type) : undefined;
    if (one === undefined) others.push(definition);
    else coerced[name] = one;
  }
  const rest = getVariableValues(schema, others, values, coercionOptions);
  return rest.coerced === undefined ? rest : { coerced: { ...coerced, ...rest.coerced } };
}

function coercerOf(type: GraphQLInputType): Coercer {
  return getOrInsertComputed(coercers, type, createCoercer);
}

function createCoercer(type: GraphQLInputType): Coercer {
  if (isNonNullType(type)) {
    const coerce = coercerOf(type.ofType);
    return (value) => (value == null ? undefined : coerce(value));
  }
  const coerce = isListType(type)
    ? listCoercer(type)
    : isInputObjectType(type)
      ? objectCoercer(type)
      : leafCoercer(type);
  return (value) => (value == null ? null : coerce(value));
}

function leafCoercer(type: GraphQLLeafType): Coercer {
  return (value) => {
    try {
      return isEnumType(type) ? type.parseValue(value, coercionOptions.hideSuggestions) : type.parseValue(value);
    } catch {
      return undefined;
    }
  };
}

function listCoercer({ ofType }: GraphQLList<GraphQLInputType>): Coercer {
  const coerce = coercerOf(ofType);
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const coerced: unknown[] = [];
    for (const item of value) {
      const one = coerce(item);
      if (one === undefined) return undefined;
      coerced.push(one);
    }
    return coerced;
  };
}

function objectCoercer(type: GraphQLInputObjectType): Coercer {
  if (type.isOneOf) return () => undefined;
  const fields = type.getFields();
  const all = Object.values(fields);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    for (const name of Object.keys(value)) if (!Object.hasOwn(fields, name)) return undefined;
    // Without a prototype, as GraphQL.js creates it.
    const coerced: Record<string, unknown> = Object.create(null);
    for (const { name, type: inner, defaultValue } of all) {
      // Safe cast: a non-null object.
      const given = (value as Values)[name];
      if (given !== undefined) {
        const one = coercerOf(inner)(given);
        if (one === undefined) return undefined;
        coerced[name] = one;
      } else if (defaultValue !== undefined) coerced[name] = defaultValue;
      else if (isNonNullType(inner)) return undefined;
    }
    return coerced;
  };
}
