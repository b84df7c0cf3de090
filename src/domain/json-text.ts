// JSON text that strangers wrote: parsed only after one pass over the text has found that this is cheap, and that no number
// in it would be rounded. Pure.

import { SallyportError } from './errors.ts';

/** Deepest nesting of arrays and objects. What nests deeper cannot be written out again by `JSON.stringify`. */
const jsonDepthMax = 64;
/**
 * Most values, by what they cost to read: see `costOf`. A policy of 256 KiB may hold 131,000 numbers, or 4,000 actions that
 * write to a log.
 */
const jsonValuesMax = 150_000;

/** What values count as, in proportion to the time that reading and checking them takes (measured). */
const costOf = { number: 1, literal: 1, string: 2, part: 4, longNumber: 8 } as const;
/** A decimal number of so many digits comes back from a double as it was (C standard, `DBL_DIG`). */
const digitsKept = 15;

/**
 * Reads JSON text.
 *
 * @param what the text, as the beginning of a sentence: "The body"
 * @throws MALFORMED_BODY, BODY_TOO_DEEP, BODY_TOO_LARGE for too many values, INVALID_INPUT for a number that would be
 *   rounded. The messages give positions in characters, from 0, and repeat nothing of the text.
 */
export function readJson(what: string, text: string): unknown {
  checkJsonText(what, text);
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message of V8 names the position, but may quote the text around it, which may be a secret.
    const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const place = position === undefined ? '' : ` Reading stopped at position ${position}.`;
    throw new SallyportError('MALFORMED_BODY', `${what} is not valid JSON.${place}`);
  }
}

/**
 * Goes over the text once, and counts. It need not notice text that is no JSON, because `JSON.parse` does. By code units
 * rather than patterns: 1 MiB takes 1 to 5 ms, whatever is in it (measured).
 */
function checkJsonText(what: string, text: string): void {
  let depth = 0;
  let cost = 0;
  let at = 0;
  while (at < text.length) {
    const start = at;
    const unit = text.charCodeAt(at);
    at += 1;
    if (unit === quote) {
      cost += costOf.string;
      at = endOfString(text, at);
    } else if (unit === openBrace || unit === openBracket) {
      cost += costOf.part;
      depth += 1;
      if (depth > jsonDepthMax) {
        throw new SallyportError('BODY_TOO_DEEP', `${what} must not nest deeper than ${jsonDepthMax} levels.`);
      }
    } else if (unit === closeBrace || unit === closeBracket) {
      depth -= 1;
    } else if (unit === colon) {
      // The string before it was a key.
      cost += costOf.part - costOf.string;
    } else if (unit === minus || isDigit(unit)) {
      at = endOfNumber(text, at);
      const isLong = !isShortNumber(text, start, at);
      cost += isLong ? costOf.longNumber : costOf.number;
      if (isLong && !isKeptNumber(text.slice(start, at))) throw roundedNumber(what, start);
    } else if (isLetter(unit)) {
      cost += costOf.literal;
      while (isLetter(text.charCodeAt(at))) at += 1;
    }
    if (cost > jsonValuesMax) throw tooMany(what);
  }
}

const [quote, backslash, colon] = [34, 92, 58];
const [openBracket, closeBracket, openBrace, closeBrace] = [91, 93, 123, 125];
const [minus, plus, point, zero, nine] = [45, 43, 46, 48, 57];
const [capitalE, smallA, smallE, smallZ] = [69, 97, 101, 122];

function isDigit(unit: number): boolean {
  return unit >= zero && unit <= nine;
}

function isLetter(unit: number): boolean {
  return unit >= smallA && unit <= smallZ;
}

/** Finds where a string ends of which the first quote has been read; the end of the text where it does not end. */
function endOfString(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    at += unit === backslash ? 2 : 1;
    if (unit === quote) break;
  }
  return at;
}

function endOfNumber(text: string, start: number): number {
  let at = start;
  for (; ; at += 1) {
    const unit = text.charCodeAt(at);
    const isPart = isDigit(unit) || unit === point || unit === minus || unit === plus || isExponentMark(unit);
    if (!isPart) return at;
  }
}

function isExponentMark(unit: number): boolean {
  return unit === smallE || unit === capitalE;
}

/** Tells by little work that a number is kept: it has few digits and no exponent, and may not be a negative zero. */
function isShortNumber(text: string, start: number, end: number): boolean {
  if (end - start > digitsKept) return false;
  if (text.charCodeAt(start) === minus && text.charCodeAt(start + 1) === zero) return false;
  for (let at = start; at < end; at += 1) if (isExponentMark(text.charCodeAt(at))) return false;
  return true;
}

/**
 * Tells whether a number comes back with the value that it was sent with: whether what `JSON.stringify` writes for it is the
 * same decimal number. So 1.0, 1e2 and 0.1 are kept; -0, 1e400 and 9007199254740993 are not (RFC 8259, section 6).
 *
 * @param text a number in the syntax of JSON
 */
export function isKeptNumber(text: string): boolean {
  const written = String(Number(text));
  return written === text || decimalOf(written) === decimalOf(text);
}

/** Writes a decimal number in the one form `-123e-4`, which ends in no zero before the `e`; any zero is `0` or `-0`. */
function decimalOf(text: string): string {
  const mark = Math.max(text.indexOf('e'), text.indexOf('E'));
  const sign = text.startsWith('-') ? '-' : '';
  const mantissa = text.slice(sign.length, mark === -1 ? text.length : mark);
  const whole = mantissa.indexOf('.');
  const digits = whole === -1 ? mantissa : mantissa.slice(0, whole) + mantissa.slice(whole + 1);
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === zero) end -= 1;
  let begin = 0;
  while (begin < end && digits.charCodeAt(begin) === zero) begin += 1;
  if (begin === end) return `${sign}0`;
  const exponent = (whole === -1 ? digits.length : whole) - end + (mark === -1 ? 0 : Number(text.slice(mark + 1)));
  return `${sign}${digits.slice(begin, end)}e${exponent}`;
}

function roundedNumber(what: string, position: number): SallyportError {
  const where = `${what} holds a number at position ${position}`;
  return new SallyportError('INVALID_INPUT', `${where} that a double cannot keep exactly. Send it as text.`);
}

function tooMany(what: string): SallyportError {
  return new SallyportError(
    'BODY_TOO_LARGE',
    `${what} must hold at most ${jsonValuesMax} values. A string counts as ${costOf.string} of them, an array, an object ` +
      `and a key as ${costOf.part} each, and a number that is long or has an exponent as ${costOf.longNumber}.`,
  );
}
