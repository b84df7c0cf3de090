// Values of variables, coerced to their types (GraphQL, section 6.1.2). GraphQL.js looks the types up anew in each execution; most
// variables are texts and numbers, which need no more than a look at what kind of value they are.

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

type Values = Readonly<Record<string, unknown>>;

/** A variable that takes text or a whole number. */
interface PlainVariable {
  readonly name: string;
  readonly takes: 'string' | 'number';
  readonly required: boolean;
}

const plainVariables = new WeakMap<OperationDefinitionNode, readonly PlainVariable[] | null>();

/** Coerces the values of the variables of an operation, as `getVariableValues` of GraphQL.js does: a test compares them. */
export function coerceVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  values: Values,
): ReturnType<typeof getVariableValues> {
  const plain = getOrInsertComputed(plainVariables, operation, () => readPlain(schema, operation));
  const coerced = plain && coercePlain(plain, values);
  return coerced === null ? getVariableValues(schema, operation.variableDefinitions ?? [], values) : { coerced };
}

/** Reads the variables of an operation; null where one of them takes anything else, has a default, or has the name that no plain object can hold. */
function readPlain(schema: GraphQLSchema, operation: OperationDefinitionNode): readonly PlainVariable[] | null {
  const plain: PlainVariable[] = [];
  for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
    // The overloads of `typeFromAST` are one for each kind of node; a type node of any kind fits none of them.
    const type = typeFromAST(schema, node as Parameters<typeof typeFromAST>[1]);
    const nullable = getNullableType(type);
    const isText = nullable === GraphQLString || nullable === GraphQLID;
    const name = variable.name.value;
    if (defaultValue !== undefined || name === '__proto__' || !(isText || nullable === GraphQLInt)) return null;
    plain.push({ name, takes: isText ? 'string' : 'number', required: isNonNullType(type) });
  }
  return plain;
}

/** Gives the values; null where one of them is of another kind, which may be an error. */
function coercePlain(variables: readonly PlainVariable[], values: Values): Record<string, unknown> | null {
  const coerced: Record<string, unknown> = {};
  for (const { name, takes, required } of variables) {
    if (!Object.hasOwn(values, name)) {
      if (required) return null;
      continue;
    }
    const value = values[name];
    // `| 0` keeps the numbers that fit 32 bits, and no others.
    if (typeof value !== takes || (typeof value === 'number' && value !== (value | 0))) return null;
    coerced[name] = value;
  }
  return coerced;
}
