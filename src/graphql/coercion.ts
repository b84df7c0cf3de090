// Coerces the values of variables to their types (GraphQL, section 6.1.2). GraphQL.js looks up the types in each execution, but for
// most variables, strings and numbers, a `typeof` check is enough.

import {
  GraphQLID,
  GraphQLInt,
  type GraphQLSchema,
  GraphQLString,
  getNullableType,
  getVariableValues,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { getOrInsertComputed } from '../domain/get-or-insert.ts';
import { errorsMax } from './limits.ts';

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
  return getVariableValues(schema, operation.variableDefinitions ?? [], values, coercionOptions);
}

/** Reads the variables of an operation; null if one of them has another type or a default, or is called `__proto__`. */
function readPlain(schema: GraphQLSchema, operation: OperationDefinitionNode): readonly PlainVariable[] | null {
  const plain: PlainVariable[] = [];
  for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
    // `typeFromAST` has one overload per kind of type node, so the union of all kinds fits none of them.
    const type = typeFromAST(schema, node as Parameters<typeof typeFromAST>[1]);
    const nullable = getNullableType(type);
    const isText = nullable === GraphQLString || nullable === GraphQLID;
    const name = variable.name.value;
    if (defaultValue !== undefined || name === '__proto__' || !(isText || nullable === GraphQLInt)) return null;
    plain.push({ name, takes: isText ? 'string' : 'number', required: isNonNullType(type) });
  }
  return plain;
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
