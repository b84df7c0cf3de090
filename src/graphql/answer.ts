// Large answers as JSON: written piece by piece, in the same slices as they are made in, and never beyond a bound.

import { SallyportError } from '../domain/errors.ts';
import { isLargeAnswer } from './budget.ts';
import type { Context } from './context.ts';
import { answerBytesMax, textUnitBytes } from './limits.ts';
import { inItsTurn } from './slices.ts';

/** An answer that is written: its text, or the pieces of a large one. */
export type Written = string | readonly Buffer[];

/** Characters of a piece, about. */
const pieceCharacters = 65_536;
/** Depth of objects and lists from which on a value is written in one go. */
const splitDepthMax = 5;

/**
 * Writes an answer as JSON.
 *
 * @throws QUERY_TOO_COMPLEX when it is larger than an answer may be, as soon as it is
 */
export async function writeAnswer(value: object, context: Context): Promise<Written> {
  return isLargeAnswer(context.budget) ? writeLargeAnswer(value, context) : JSON.stringify(value);
}

/**
 * Writes an answer that is large as JSON, in pieces.
 *
 * @throws as `writeAnswer`
 */
export async function writeLargeAnswer(value: object, context: Context): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let text = '';
  const take = () => {
    const piece = Buffer.from(text);
    text = '';
    bytes += piece.length;
    if (bytes > answerBytesMax) {
      throw new SallyportError(
        'QUERY_TOO_COMPLEX',
        `The answer has more than ${answerBytesMax} bytes. Ask for smaller pages or fewer fields.`,
      );
    }
    pieces.push(piece);
  };
  for (const part of jsonParts(value, 0)) {
    text += part;
    if (text.length < pieceCharacters) continue;
    take();
    // Also once an answer is too large: what is left of it is written.
    await inItsTurn(context, pieceCharacters / textUnitBytes, () => {});
  }
  take();
  return pieces;
}

/** Gives the JSON text of a value in parts, so that no part is much longer than a piece or than what is written in one go. */
function* jsonParts(value: object, depth: number): Generator<string> {
  const isList = Array.isArray(value);
  // The same properties in the same order as `JSON.stringify` takes; of a list, its items.
  const members: [string, unknown][] = isList ? value.map((item) => ['', item]) : Object.entries(value);
  let text = isList ? '[' : '{';
  let separator = '';
  for (const [name, member] of members) {
    if (member === undefined && !isList) continue;
    text += isList ? separator : `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (typeof member === 'object' && member !== null && depth < splitDepthMax && !('toJSON' in member)) {
      yield text;
      text = '';
      yield* jsonParts(member, depth + 1);
    } else {
      text += JSON.stringify(member) ?? 'null';
      if (text.length < pieceCharacters) continue;
      yield text;
      text = '';
    }
  }
  yield text + (isList ? ']' : '}');
}
