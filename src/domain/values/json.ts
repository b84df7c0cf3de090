// Clients' JSON values, which are stored and returned as they were sent. Pure.

import { invalid } from '../errors.ts';
import { checkText } from './text.ts';

/** A parsed JSON object. Its keys come from the client and may include `__proto__`: never copy them into another object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a JSON object from text of ours. Throws `Error` for anything else. */
export function readJsonObject(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error('The database holds something else where there should be a JSON object.');
  return value;
}

/**
 * Checks that a value can be stored and read back unchanged. Its numbers have been checked already: see `json-text.ts`.
 *
 * @param depthMax how many levels of lists and objects may be nested; the value itself is the first
 * @param bytesMax longest text and key in it, in bytes of UTF-8
 * @throws INVALID_INPUT for a deeper value, and for text as `checkText`
 */
export function checkJson(field: string, value: unknown, depthMax: number, bytesMax: number): void {
  const check = (inner: unknown, depthLeft: number): void => {
    if (typeof inner === 'string') checkText(field, inner, bytesMax);
    if (typeof inner !== 'object' || inner === null) return;
    if (depthLeft === 0) throw invalid(field, `must not nest deeper than ${depthMax} levels.`);
    if (Array.isArray(inner)) {
      for (const item of inner) check(item, depthLeft - 1);
      return;
    }
    for (const [key, member] of Object.entries(inner)) {
      checkText(field, key, bytesMax);
      check(member, depthLeft - 1);
    }
  };
  check(value, depthMax);
}

/** Counts the values in a JSON value, including itself, and the keys of its objects. Stops once there are more than `max`. */
export function countJson(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let count = 1 + (members === value ? 0 : members.length);
  for (const member of members) {
    if (count > max) return count;
    count += countJson(member, max - count);
  }
  return count;
}
