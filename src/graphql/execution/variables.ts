// Checks values against their declared types, and describes the expected type in JSON terms. The maximum length of a list is
// `extensions.jsonSchema.maxItems` of the argument or input field that takes it.

import {
  type ConstValueNode,
  coerceInputValue,
  type DocumentNode,
  type GraphQLArgument,
  GraphQLBoolean,
  GraphQLError,
  GraphQLFloat,
  type GraphQLInputField,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLNonNull,
  type GraphQLSchema,
  getNullableType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { invalid, type SallyportError } from '../../domain/errors.ts';
import { coerceValue, typeOfVariable } from '../executor/coercion.ts';
import { shortened } from '../kit/public-errors.ts';

/** An argument or input field that takes a value. */
export type Input = GraphQLArgument | GraphQLInputField;

export interface Variable {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly required: boolean;
  /** Whether null is never valid: a nullable variable with a default may fill a non-null position (GraphQL, section 5.8.5). */
  readonly neverNull: boolean;
  /** The arguments and input fields that it fills. */
  readonly positions: readonly Input[];
}

/** The uses of variables in a document, and its literal lists. */
interface Inputs {
  /** The positions that each variable fills, by its name. */
  readonly positions: ReadonlyMap<string, readonly Input[]>;
  /** The variables that fill a non-null position. */
  readonly neverNull: ReadonlySet<string>;
  /** The error of the first literal list that is too long. */
  readonly excess: SallyportError | undefined;
}

/**
 * Reads the variables that an operation of a document declares. Throws `Error` for a document that was not validated.
 */
export function readVariableDefinitions(
  operation: OperationDefinitionNode,
  document: DocumentNode,
  schema: GraphQLSchema,
): Variable[] {
  const { positions, neverNull } = inputsOf(document, schema);
  return (operation.variableDefinitions ?? []).map((definition) => {
    const { variable, defaultValue } = definition;
    const type = typeOfVariable(schema, definition);
    const name = variable.name.value;
    if (!isInputType(type)) throw new Error(`$${name} is not of an input type.`);
    const required = isNonNullType(type) && defaultValue === undefined;
    return { name, type, required, neverNull: neverNull.has(name), positions: positions.get(name) ?? [] };
  });
}

/**
 * Checks the values of the variables of an operation, and the literal lists of its document. GraphQL.js would repeat a wrong value
 * in its message, and the value may be a secret that was pasted into the wrong field.
 *
 * @throws INVALID_INPUT that names the variable and the position within it
 */
export function checkVariables(
  document: DocumentNode,
  operationName: string | null | undefined,
  values: Readonly<Record<string, unknown>>,
  schema: GraphQLSchema,
): void {
  const { excess } = inputsOf(document, schema);
  if (excess !== undefined) throw excess;
  const operation = getOperationAST(document, operationName);
  if (operation == null) return;
  const variables = variablesOf.get(operation) ?? readVariableDefinitions(operation, document, schema);
  variablesOf.set(operation, variables);
  for (const variable of variables) {
    const value = givenFor(variable.name, values);
    checkLengths(variable, value);
    checkValue(variable, value);
  }
}

// Caches. A repeated document is the same object.
const variablesOf = new WeakMap<OperationDefinitionNode, Variable[]>();
const inputsOfDocument = new WeakMap<DocumentNode, Inputs>();

function inputsOf(document: DocumentNode, schema: GraphQLSchema): Inputs {
  const inputs = inputsOfDocument.get(document) ?? readInputs(document, schema);
  inputsOfDocument.set(document, inputs);
  return inputs;
}

function readInputs(document: DocumentNode, schema: GraphQLSchema): Inputs {
  const positions = new Map<string, Input[]>();
  const neverNull = new Set<string>();
  let excess: SallyportError | undefined;
  const read = (node: ValueNode, field: string, type: GraphQLInputType, taking: readonly Input[]): void => {
    const expected = getNullableType(type);
    if (node.kind === Kind.VARIABLE) {
      positions.set(node.name.value, [...(positions.get(node.name.value) ?? []), ...taking]);
      if (isNonNullType(type)) neverNull.add(node.name.value);
    } else if (node.kind === Kind.LIST && isListType(expected)) {
      excess ??= excessOf(field, node.values.length, taking);
      for (const [index, item] of node.values.entries()) read(item, `${field}[${index}]`, expected.ofType, taking);
    } else if (node.kind === Kind.OBJECT && isInputObjectType(expected)) {
      for (const { name, value } of node.fields) {
        const inner = expected.getFields()[name.value];
        if (inner !== undefined) read(value, `${field}.${inner.name}`, inner.type, [inner]);
      }
    }
  };
  const defaults: { name: string; value: ConstValueNode; type: GraphQLInputType }[] = [];
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      VariableDefinition({ variable, defaultValue }) {
        const type = types.getInputType();
        if (defaultValue && type) defaults.push({ name: variable.name.value, value: defaultValue, type });
      },
      Argument({ value }) {
        const argument = types.getArgument();
        if (argument) read(value, argument.name, argument.type, [argument]);
      },
    }),
  );
  for (const { name, value, type } of defaults) read(value, name, type, positions.get(name) ?? []);
  return { positions, neverNull, excess };
}

/** Returns the value of a variable; undefined if none is given, even if its name is an inherited property such as `toString`. */
export function givenFor(name: string, values: Readonly<Record<string, unknown>>): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Maximum length of a list where none is declared: as a variable inside a literal of the scalar `JSON`. */
const itemsMaxDefault = 1000;

/** Returns the maximum length of a list that is valid at all given positions. */
function maxItemsOf(positions: readonly Input[]): number {
  const declared = positions
    .map(({ extensions }) => Object(extensions.jsonSchema).maxItems)
    .filter((max) => typeof max === 'number');
  return declared.length === 0 ? itemsMaxDefault : Math.min(...declared);
}

/**
 * Creates a function that tells whether values of a type can hold what a check looks for. Most objects in a large list hold none, and
 * the check need not look at them.
 *
 * @param isWanted whether the check looks for values of a type, which is nullable
 */
export function createHolds(isWanted: (type: GraphQLInputType) => boolean): (type: GraphQLInputType) => boolean {
  const known = new WeakMap<GraphQLInputType, boolean>();
  const holds = (type: GraphQLInputType): boolean => {
    const nullable = getNullableType(type);
    if (isWanted(nullable)) return true;
    if (isListType(nullable)) return holds(nullable.ofType);
    if (!isInputObjectType(nullable)) return false;
    const found = known.get(nullable);
    if (found !== undefined) return found;
    // In case the type contains itself.
    known.set(nullable, true);
    const isHolding = Object.values(nullable.getFields()).some((field) => holds(field.type));
    known.set(nullable, isHolding);
    return isHolding;
  };
  return holds;
}

const holdsLists = createHolds(isListType);

function excessOf(field: string, length: number, positions: readonly Input[]): SallyportError | undefined {
  const max = maxItemsOf(positions);
  return length > max ? invalid(field, `must have at most ${max} entries; it has ${length}.`) : undefined;
}

/**
 * Checks the lengths of the lists in a value, before anything reads their entries, so that a list that is too long costs nothing.
 *
 * @throws INVALID_INPUT that names the variable and the position within it
 */
export function checkLengths({ name, type, positions }: Variable, value: unknown): void {
  const check = (inner: unknown, field: string, innerType: GraphQLInputType, taking: readonly Input[]): void => {
    if (typeof inner !== 'object' || inner === null || !holdsLists(innerType)) return;
    const expected = getNullableType(innerType);
    if (isListType(expected) && Array.isArray(inner)) {
      const excess = excessOf(field, inner.length, taking);
      if (excess !== undefined) throw excess;
      for (const [index, item] of inner.entries()) check(item, `${field}[${index}]`, expected.ofType, taking);
    } else if (isInputObjectType(expected)) {
      for (const position of Object.values(expected.getFields())) {
        // Safe cast: a non-null object.
        const given = Object.hasOwn(inner, position.name)
          ? (inner as Record<string, unknown>)[position.name]
          : undefined;
        check(given, `${field}.${position.name}`, position.type, [position]);
      }
    }
  };
  check(value, name, type, positions);
}

/** Checks the value of one variable. Throws INVALID_INPUT. */
export function checkValue({ name, type, required, neverNull }: Variable, value: unknown): void {
  if (value === undefined) {
    if (required) throw invalid(name, `is required; it ${expectation(type)}.`);
    return;
  }
  if (value === null && neverNull) throw invalid(name, `${expectation(new GraphQLNonNull(getNullableType(type)))}.`);
  if (coerceValue(value, type) !== undefined) return;
  const refuse = (path: readonly (string | number)[], wrong: unknown, { message }: { message: string }) => {
    const { expected, field } = descend(type, name, path);
    // For an object, the message of GraphQL.js names the missing or unknown field, and repeats no value.
    const isObject = typeof wrong === 'object' && wrong !== null && !Array.isArray(wrong);
    const speaksOfFields = isObject && isInputObjectType(getNullableType(expected));
    if (!speaksOfFields) throw invalid(field, `${expectation(expected)}.`);
    const isLong = message.length > reasonCharactersMax;
    throw invalid(
      field,
      `must fit its type. ${isLong ? shortened(message, reasonCharactersMax) : explain(wrong, expected)}`,
    );
  };
  // Without suggestions of similar names: for 900 KB instead of an enum value, they take 100 ms (measured).
  coerceInputValue(value, type, refuse, true);
}

/** Returns the first error of an object, with suggestions of similar names. */
function explain(wrong: unknown, type: GraphQLInputType): string {
  try {
    coerceInputValue(wrong, type, (_path, _wrong, error) => {
      throw error;
    });
  } catch (error) {
    if (error instanceof GraphQLError) return error.message;
    throw error;
  }
  return '';
}

/** Most characters of a message of GraphQL.js that are repeated: the name of an unknown field may be as long as the request. */
const reasonCharactersMax = 300;

/** Follows the path of a wrong value to the expected type, and spells the path as text. */
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

/** Describes what a type expects, as the continuation of a sentence that begins with the name of the field. */
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
  if (isScalarType(nullable)) {
    const { type: jsonType, minimum, maximum } = Object(nullable.extensions.jsonSchema);
    if (jsonType === 'integer') return `must be a whole number from ${minimum} to ${maximum}${orNull}`;
  }
  if (isScalarType(nullable) && nullable.name === 'JSON') return 'must be a JSON value';
  // All other scalars take text.
  return `must be a string${orNull}`;
}
