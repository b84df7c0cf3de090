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
 * Checks that a value comes back as it was sent.
 *
 * @param depthMax how many lists and objects may stand within each other; the value itself is the first
 * @param bytesMax longest text and key in it
 * @throws INVALID_INPUT for a deeper value, for text as `checkText`, and for numbers that are not kept: too large for a
 *   double, or whole ones beyond 2^53 - 1, which would be rounded (RFC 8259, section 6)
 */
export function checkJson(field: string, value: unknown, depthMax: number, bytesMax: number): void {
  const check = (inner: unknown, depthLeft: number): void => {
    if (typeof inner === 'string') checkText(field, inner, bytesMax);
    if (typeof inner === 'number' && !isKept(inner)) {
      throw invalid(field, 'holds a number that a double cannot keep exactly. Send it as text.');
    }
    if (typeof inner !== 'object' || inner === null) return;
    if (depthLeft === 0) throw invalid(field, `must not nest deeper than ${depthMax} levels.`);
    for (const [key, member] of Object.entries(inner)) {
      checkText(field, key, bytesMax);
      check(member, depthLeft - 1);
    }
  };
  check(value, depthMax);
}

function isKept(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}
