// Rules for free text. Pure.

import { invalid } from '../errors.ts';

/** Longest description, in bytes of UTF-8 (spec, "Limits"). */
export const descriptionBytesMax = 255;
/** Longest metadata, in bytes of UTF-8 (spec, "Limits"). */
export const metadataBytesMax = 4096;

/**
 * Checks text that is stored unchanged.
 *
 * @throws INVALID_INPUT if it is longer than `bytesMax` bytes of UTF-8, contains NUL, or is ill-formed UTF-16. SQLite would
 *   store the last two and PostgreSQL would not (measured), so they are refused before they reach a database
 */
export function checkText(field: string, text: string, bytesMax: number): string {
  if (text.includes('\u0000')) throw invalid(field, 'must not contain the NUL character (U+0000).');
  if (!isWellFormed(text)) throw invalid(field, 'must be well-formed Unicode; it contains an unpaired surrogate.');
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax) throw invalid(field, `must be at most ${bytesMax} bytes of UTF-8; it has ${bytes}.`);
  return text;
}

/** Truncates text to at most `bytesMax` bytes of UTF-8, without splitting a character. */
export function truncateText(text: string, bytesMax: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}

/**
 * Returns text with the letters A to Z in lower case. Unlike `toLowerCase`, it makes no other character a letter of ASCII: that turns
 * the Kelvin sign (U+212A) into a k, so that a foreign domain would pass for one of ours.
 */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The two texts that every object can have; null or undefined if not given. */
export interface Notes {
  description?: string | null | undefined;
  metadata?: string | null | undefined;
}

/** Checks the notes of a new object. A text that is not given becomes empty. Throws as `checkText`. */
export function notesForCreate({ description, metadata }: Notes): { description: string; metadata: string } {
  return {
    description: checkText('description', description ?? '', descriptionBytesMax),
    metadata: checkText('metadata', metadata ?? '', metadataBytesMax),
  };
}

/** Checks the notes in an update. Null clears a text, as `""` does; undefined leaves it unchanged. Throws as `checkText`. */
export function notesForUpdate(notes: Notes): { description?: string; metadata?: string } {
  const { description, metadata } = notesForCreate(notes);
  return {
    ...(notes.description === undefined ? {} : { description }),
    ...(notes.metadata === undefined ? {} : { metadata }),
  };
}

// Node 20 has `String#isWellFormed`, but the ES2023 type library does not. With the `u` flag, surrogates that form a pair are one
// code point, so this matches only unpaired ones.
const loneSurrogate = /\p{Surrogate}/u;

function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}
