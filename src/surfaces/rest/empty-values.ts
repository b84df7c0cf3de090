// Which values in a body stand for "not given". Existing clients send every field on create, empty if unset, and empty lists or
// maps on update. Only the empty value of the field's own type counts; any other value is checked.

import {
  type GraphQLInputType,
  GraphQLString,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isScalarType,
} from 'graphql';
import type { Variable } from '../../graphql/execution/variables.ts';
import { scalarForm } from './openapi/json-schema.ts';
import type { Method } from './route.ts';

/** The kinds of values that can be empty. Booleans and objects with declared fields have no empty value. */
type Emptiness = 'free text' | 'text' | 'time' | 'number' | 'list' | 'map';

const isEmptyMap = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

const isEmpty: Record<Emptiness, (value: unknown) => boolean> = {
  'free text': (value) => value === '',
  text: (value) => value === '',
  // One client of the family writes every date as an empty object.
  time: (value) => value === '' || isEmptyMap(value),
  number: (value) => value === 0,
  list: (value) => Array.isArray(value) && value.length === 0,
  map: isEmptyMap,
};

/**
 * The empty values that each method takes for "not given". A module is returned as it was sent, so an empty list in a PUT is a
 * value. On a PATCH, an empty string clears free text, and zero is a number like any other.
 */
const notGivenOn: Record<Method, readonly Emptiness[]> = {
  GET: [],
  DELETE: [],
  POST: ['free text', 'text', 'time', 'number', 'list', 'map'],
  PUT: ['free text', 'text', 'time'],
  PATCH: ['text', 'time', 'list', 'map'],
};

/** Creates the test whether a value of a field stands for "not given" in the body of a method. */
export function notGivenTest(method: Method, { type, required }: Variable): (value: unknown) => boolean {
  if (required) return () => false;
  // On a PATCH, null clears the field.
  const nullCounts = method !== 'PATCH';
  const emptiness = emptinessOf(type);
  const test = emptiness !== null && notGivenOn[method].includes(emptiness) ? isEmpty[emptiness] : () => false;
  return (value) => (value === null ? nullCounts : test(value));
}

function emptinessOf(type: GraphQLInputType): Emptiness | null {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return 'list';
  if (isEnumType(nullable)) return 'text';
  if (isInputObjectType(nullable) || !isScalarType(nullable)) return null;
  if (nullable === GraphQLString) return 'free text';
  const { type: kinds, format } = scalarForm(nullable);
  if (kinds === 'string') return format === 'date-time' ? 'time' : 'text';
  if (kinds === 'integer' || kinds === 'number') return 'number';
  // Fields that accept any JSON are maps on every route. So far, these are labels.
  return Array.isArray(kinds) && kinds.includes('object') ? 'map' : null;
}
