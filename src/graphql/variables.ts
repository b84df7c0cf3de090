// Checks values against the types that they are declared with, and says what is expected in the words of JSON.

import {
  coerceInputValue,
  type DocumentNode,
  GraphQLBoolean,
  GraphQLFloat,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLSchema,
  getNullableType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isScalarType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { invalid } from '../domain/errors.ts';

/** A variable of an operation. */
export interface Variable {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly required: boolean;
}

/** Reads the variables that an operation declares. Throws `Error` for a document that was not validated. */
export function readVariableDefinitions(operation: OperationDefinitionNode, schema: GraphQLSchema): Variable[] {
  return (operation.variableDefinitions ?? []).map(({ variable, type: typeNode, defaultValue }) => {
    // The overloads of `typeFromAST` are one for each kind of node; a type node of any kind fits none of them.
    const type = typeFromAST(schema, typeNode as Parameters<typeof typeFromAST>[1]);
    if (!isInputType(type)) throw new Error(`$${variable.name.value} is not of an input type.`);
    return { name: variable.name.value, type, required: isNonNullType(type) && defaultValue === undefined };
  });
}

/**
 * Checks the values given for the variables of an operation. GraphQL itself would repeat a wrong value in its message,
 * and that value may be a secret that was pasted into the wrong place.
 *
 * @throws INVALID_INPUT that names the variable and the place in it
 */
export function checkVariables(
  document: DocumentNode,
  operationName: string | null | undefined,
  values: Readonly<Record<string, unknown>>,
  schema: GraphQLSchema,
): void {
  const operation = getOperationAST(document, operationName);
  if (operation == null) return;
  const variables = variablesOf.get(operation) ?? readVariableDefinitions(operation, schema);
  variablesOf.set(operation, variables);
  for (const variable of variables) checkValue(variable, values[variable.name]);
}

// Documents that come again are the same objects.
const variablesOf = new WeakMap<OperationDefinitionNode, Variable[]>();

/** Checks the value of one variable. Throws INVALID_INPUT. */
export function checkValue({ name, type, required }: Variable, value: unknown): void {
  if (value === undefined) {
    if (required) throw invalid(name, `is required; it ${expectation(type)}.`);
    return;
  }
  coerceInputValue(value, type, (path, wrong, { message }) => {
    const { expected, field } = descend(type, name, path);
    // Of an object, the message of GraphQL tells which field is missing or unknown, and repeats no value.
    const isObject = typeof wrong === 'object' && wrong !== null && !Array.isArray(wrong);
    const speaksOfFields = isObject && isInputObjectType(getNullableType(expected));
    throw invalid(field, speaksOfFields ? `must fit its type. ${shortened(message)}` : `${expectation(expected)}.`);
  });
}

/** Cuts a message that repeats the name of an unknown field, which may be as long as the request. */
function shortened(message: string): string {
  return message.length > 300 ? `${message.slice(0, 300)}...` : message;
}

/** Follows the path of a wrong value to the type that is expected there. */
function descend(type: GraphQLInputType, name: string, path: readonly (string | number)[]) {
  let expected = type;
  let field = name;
  for (const step of path) {
    const nullable = getNullableType(expected);
    if (isListType(nullable)) expected = nullable.ofType;
    else if (isInputObjectType(nullable)) expected = nullable.getFields()[step]?.type ?? expected;
    field += typeof step === 'number' ? `[${step}]` : `.${step}`;
  }
  return { expected, field };
}

/** Says what a type expects, as the rest of a sentence that begins with the name of the field. */
export function expectation(type: GraphQLInputType): string {
  const orNull = isNonNullType(type) ? '' : ' or null';
  const nullable = getNullableType(type);
  if (isListType(nullable)) return `must be a list${orNull}`;
  if (isEnumType(nullable)) {
    const names = nullable.getValues().map(({ name }) => `"${name}"`);
    return `must be one of ${names.join(', ')}${orNull}`;
  }
  if (isInputObjectType(nullable)) return `must be an object${orNull}`;
  if (nullable === GraphQLBoolean) return `must be true or false${orNull}`;
  if (nullable === GraphQLInt) return `must be a whole number that fits 32 bits${orNull}`;
  if (nullable === GraphQLFloat) return `must be a number${orNull}`;
  // Our own scalars say it themselves: all but those for text.
  if (isScalarType(nullable) && nullable.name === 'UInt32')
    return `must be a whole number from 0 to 4294967295${orNull}`;
  return `must be a string${orNull}`;
}
