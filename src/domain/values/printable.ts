// Text that people read on a terminal, with everything visible that is in it. Pure.

/**
 * Characters that a terminal obeys or hides: control characters of both sets (C0 and C1), which move the cursor and erase lines
 * (ECMA-48), formatting characters, among them those that reverse the direction of writing (UAX #9), separators of lines and
 * paragraphs, and halves of characters. The joiners of Persian, of Indic scripts and of emoji (U+200C, U+200D) are ordinary text.
 */
const unprintable = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Escapes what a terminal would obey or hide, as JSON writes it: an ESC becomes `\u001b`, a line feed `\n`. Stored text can come
 * from whoever has a key, and must not be able to hide a line of the output or to forge one (CWE-150). JSON remains JSON of the same
 * value.
 */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => short[character] ?? unitsOf(character));
}

/** Writes the UTF-16 code units of a character as escapes. */
function unitsOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
