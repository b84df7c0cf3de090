// JSON values of the clients' own, which are stored and given back as they were sent. Pure.

import { invalid } from './errors.ts';
import { checkText } from './text.ts';

/** What a JSON object becomes. Its keys are the client's, `__proto__` among them: copy none into another object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Tells whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Checks that a value can be stored and comes back as it was sent. Its numbers are kept already: see `json-text.ts`.
 *
 * @param depthMax how many lists and objects may stand within each other; the value itself is the first
 * @param bytesMax longest text and key in it
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
