// Reading XML that strangers wrote. Pure; may import only xmldom and the errors.

import { DOMParser, type Document, onWarningStopParsing, ParseError } from '@xmldom/xmldom';
import { invalid } from '../errors.ts';

/**
 * Most tags in a document: honest metadata have hundreds, or some thousand where they list every claim. What parsing costs
 * grows with the square of the nesting in the worst case: 256 KiB take 0.9 s without this bound, and 0.25 s with it
 * (measured).
 */
export const tagsMax = 4_000;

// XML 1.0, production 2. xmldom does not check it.
const forbiddenCharacter = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
// Where an ampersand may stand alone. Each pattern ends in a document that has been parsed, so that none backtracks.
const verbatim = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>/g;
const loneAmpersand = /&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)/;

/**
 * Parses XML strictly. A byte order mark and white space before the document are skipped: files have the one, and text
 * that was pasted into a configuration has the other.
 *
 * @throws INVALID_INPUT for what is not well-formed, for a document type definition, which is what entity bombs and
 *   references to files are made of, and for more than `tagsMax` tags. The message repeats nothing of the document.
 */
export function parseXml(field: string, text: string): Document {
  const source = text.replace(/^\uFEFF?\s*/, '');
  if (forbiddenCharacter.test(source)) throw invalid(field, 'must be well-formed XML; it holds a control character.');
  if (countTags(source) > tagsMax) throw invalid(field, `must have at most ${tagsMax} tags; no metadata needs more.`);

  const document = parse(field, source);
  if (document.doctype !== null) throw doctypeRefused(field);
  if (loneAmpersand.test(source.replace(verbatim, ''))) {
    throw invalid(field, 'must be well-formed XML; an ampersand in it must be written as "&amp;".');
  }
  return document;
}

function parse(field: string, source: string): Document {
  try {
    // Warnings too are of text that is not well-formed, such as an attribute without quotes.
    return new DOMParser({ onError: onWarningStopParsing }).parseFromString(source, 'text/xml');
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    if (/<!DOCTYPE/i.test(source)) throw doctypeRefused(field);
    // An empty document has no place where reading could stop. Columns are left out: xmldom counts some from the tag.
    const line: unknown = error.locator?.lineNumber;
    const place = typeof line === 'number' && source !== '' ? ` Reading stopped at or after line ${line}.` : '';
    throw invalid(field, `must be well-formed XML.${place}`);
  }
}

function doctypeRefused(field: string) {
  return invalid(field, 'must not have a document type definition (DOCTYPE). Remove it; metadata needs none.');
}

function countTags(source: string): number {
  let count = 0;
  for (let at = source.indexOf('<'); at !== -1; at = source.indexOf('<', at + 1)) count += 1;
  return count;
}
