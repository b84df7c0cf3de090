// Large answers as JSON: written piece by piece, in the slices of `load/answer-slices.ts`, and limited in size.

import { SallyportError } from '../../domain/errors.ts';
import { inItsTurn } from '../../load/answer-slices.ts';
import { isLargeAnswer } from '../../load/budget.ts';
import { answerBytesMax, textUnitBytes } from '../../load/limits.ts';
import type { Context } from '../kit/context.ts';

/** A serialized answer: its text, or the pieces of a large one. */
export type Written = string | readonly Buffer[];

/** Approximate size of a piece, in characters. */
const pieceCharacters = 65_536;
/** Depth of nested objects and lists at which a value is serialized in one go. */
const splitDepthMax = 5;

/** Serializes an answer as JSON. Throws QUERY_TOO_COMPLEX as soon as the text of a large answer exceeds `answerBytesMax`. */
export async function writeAnswer(value: object, context: Context): Promise<Written> {
  return isLargeAnswer(context.budget) ? writeLargeAnswer(value, context) : JSON.stringify(value);
}

/** Serializes a large answer as JSON, in pieces. Throws as `writeAnswer`. */
async function writeLargeAnswer(value: object, context: Context): Promise<readonly Buffer[]> {
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
    // `inItsTurn` rather than `whenItMayGoOn`: an answer that was cut short for its size is still written.
    await inItsTurn(context, pieceCharacters / textUnitBytes, () => {});
  }
  take();
  return pieces;
}

/** Yields the JSON text of a value in parts. No part is much longer than a piece, or than a value that is serialized in one go. */
function* jsonParts(value: object, depth: number): Generator<string> {
  const isList = Array.isArray(value);
  // The properties that `JSON.stringify` writes, in the same order; for a list, its items.
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
