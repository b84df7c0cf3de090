// Parses untrusted JSON text, after one scan has shown that parsing it is cheap and that no number in it would be rounded.
// Pure.

import { SallyportError } from '../errors.ts';

/** Deepest nesting of arrays and objects. `JSON.stringify` overflows the stack on deep values that `JSON.parse` accepts. */
const jsonDepthMax = 64;
/**
 * Most values, weighted by the cost of parsing them: see `costOf`. A policy of 256 KiB may contain 131,000 numbers, or 4,000 `log`
 * actions.
 */
const jsonValuesMax = 150_000;

/** The weight of each kind of value, in proportion to the time for parsing and checking it (measured). */
const costOf = { number: 1, literal: 1, string: 3, part: 4, longNumber: 8 } as const;
/**
 * Most different keys. V8 keeps a description of the shape that each new key gives to an object: 30,000 different ones took 100 ms,
 * in one object or in many, and no honest body has a hundred (measured).
 */
const differentKeysMax = 3_000;
/** A decimal number with this many digits survives conversion to a double and back (C standard, `DBL_DIG`). */
const digitsKept = 15;

/**
 * Parses JSON text.
 *
 * @param what names the text at the start of error messages: "The body"
 * @throws MALFORMED_BODY, BODY_TOO_DEEP, BODY_TOO_LARGE for too many values, INVALID_INPUT for a number that would be rounded. The
 *   messages give positions in characters, from 0, and repeat nothing of the text
 */
export function readJson(what: string, text: string): unknown {
  checkJsonText(what, text);
  try {
    return JSON.parse(text);
  } catch (error) {
    // V8's message has the position, but may quote the text around it, which may be a secret.
    const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const where = position === undefined ? '' : ` Reading stopped at position ${position}.`;
    throw new SallyportError('MALFORMED_BODY', `${what} is not valid JSON.${where}`);
  }
}

/**
 * Scans the text once, and counts. It need not detect invalid JSON, because `JSON.parse` does. It compares code units instead of
 * using patterns: 1 MiB takes 1 to 5 ms, whatever its content (measured).
 */
function checkJsonText(what: string, text: string): void {
  let depth = 0;
  let cost = 0;
  let at = 0;
  const keys = new Set<string>();
  let latest = '';
  while (at < text.length) {
    const start = at;
    const unit = text.charCodeAt(at);
    at += 1;
    if (unit === quote) {
      cost += costOf.string;
      at = endOfString(text, at);
      latest = text.slice(start, at);
    } else if (unit === openBrace || unit === openBracket) {
      cost += costOf.part;
      depth += 1;
      if (depth > jsonDepthMax) {
        throw new SallyportError('BODY_TOO_DEEP', `${what} must not nest deeper than ${jsonDepthMax} levels.`);
      }
    } else if (unit === closeBrace || unit === closeBracket) {
      depth -= 1;
    } else if (unit === colon) {
      // The string before the colon was a key.
      cost += costOf.part - costOf.string;
      keys.add(latest);
      if (keys.size > differentKeysMax) throw tooManyKeys(what);
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

/** Returns the end of a string whose first quote has been read, or of the text if the string does not end. */
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

/** Returns whether a cheap test shows that a number is kept: few characters, no exponent, and not a zero after a minus sign. */
function isShortNumber(text: string, start: number, end: number): boolean {
  if (end - start > digitsKept) return false;
  if (text.charCodeAt(start) === minus && text.charCodeAt(start + 1) === zero) return false;
  for (let at = start; at < end; at += 1) if (isExponentMark(text.charCodeAt(at))) return false;
  return true;
}

/**
 * Returns whether a number keeps its value: whether `JSON.stringify` writes the same decimal number for it. So 1.0, 1e2 and 0.1 are
 * kept; -0, 1e400 and 9007199254740993 are not (RFC 8259, section 6).
 *
 * @param text a number in the syntax of JSON
 */
export function isKeptNumber(text: string): boolean {
  const written = String(Number(text));
  return written === text || decimalOf(written) === decimalOf(text);
}

/** Normalizes a decimal number to the form `-123e-4`, without trailing zeros before the `e`; every zero becomes `0` or `-0`. */
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

function tooManyKeys(what: string): SallyportError {
  return new SallyportError('BODY_TOO_LARGE', `${what} must hold at most ${differentKeysMax} different keys.`);
}

function tooMany(what: string): SallyportError {
  return new SallyportError(
    'BODY_TOO_LARGE',
    `${what} must hold at most ${jsonValuesMax} values. A string counts as ${costOf.string} of them, an array, an object ` +
      `and a key as ${costOf.part} each, and a number that is long or has an exponent as ${costOf.longNumber}.`,
  );
}
