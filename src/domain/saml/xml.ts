// Parses untrusted XML. Pure; may import only xmldom, the errors and the steps.

import { DOMParser, type Document, onWarningStopParsing, ParseError } from '@xmldom/xmldom';
import { atOnce, type Steps } from '../concurrency/steps.ts';
import { invalid } from '../errors.ts';

// The time that xmldom takes grows with the product of the number of elements, their nesting depth, and the namespaces in scope:
// 256 KiB took 0.5 s without the bounds below, and take 20 ms with them (measured).

/** Most tags in a document, including comments and the like. Honest ones have hundreds, or about a thousand with every claim. */
export const tagsMax = 4_000;
/** Deepest nesting of elements. Honest documents have up to twelve levels. */
export const elementDepthMax = 32;
/** Most attributes of one element; namespace declarations count as attributes. Honest elements have up to twenty. */
export const attributesMax = 64;
const attributesInAllMax = 4_000;
/** Most references to characters in a document. Honest ones have one at the end of each line of a certificate, if any. */
export const referencesMax = 4_000;
/** Most namespaces declared on an element and its ancestors. */
export const namespacesMax = 32;

// XML 1.0, production 2. xmldom does not check it.
const forbiddenCharacter = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/**
 * Parses XML strictly. Skips a byte order mark, which files may have, and white space before the document, which text pasted into a
 * configuration may have.
 *
 * @throws INVALID_INPUT if the text is not well-formed, has a document type definition (the basis of entity bombs and file
 *   references), or exceeds one of the bounds above. The message repeats nothing of the document.
 */
export function parseXml(field: string, text: string): Document {
  return atOnce(parseXmlInSteps(field, text));
}

/** Parses XML as `parseXml`. The longest step is that of xmldom. */
export function* parseXmlInSteps(field: string, text: string): Steps<Document> {
  const source = text.replace(/^\uFEFF?\s*/, '');
  if (forbiddenCharacter.test(source))
    throw invalid(field, 'must be well-formed XML; it contains a control character.');
  const attributes = checkMarkup(field, source);
  yield;
  const document = yield* parse(field, source);
  yield;
  // Of two attributes with the same name and namespace (Namespaces in XML, section 6.3), xmldom keeps only the later one.
  if (countAttributes(document) !== attributes) {
    throw invalid(field, 'must be well-formed XML; an element in it has the same attribute twice.');
  }
  return document;
}

function* parse(field: string, source: string): Steps<Document> {
  try {
    return parseWith({ locator: false }, source);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
  }
  yield;
  // Once more, to learn the line: keeping account of lines takes as long as all the rest.
  try {
    return parseWith({ locator: true }, source);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    // An empty document has no line to report. Columns are left out: xmldom counts some of them from the tag.
    const line: unknown = error.locator?.lineNumber;
    throw malformed(field, typeof line === 'number' && source !== '' ? line : undefined);
  }
}

function parseWith(options: { readonly locator: boolean }, source: string): Document {
  // Text that is not well-formed may cause only a warning, such as an attribute without quotes.
  return new DOMParser({ ...options, onError: onWarningStopParsing }).parseFromString(source, 'text/xml');
}

function malformed(field: string, line: number | undefined) {
  const where = line === undefined ? '' : ` Reading stopped at or after line ${line}.`;
  return invalid(field, `must be well-formed XML.${where}`);
}

function doctypeRefused(field: string) {
  return invalid(field, 'must not have a document type definition (DOCTYPE). Remove it; SAML needs none.');
}

/** Markup that begins with `<`, up to the attributes of a tag. xmldom checks which characters a name may have. */
const markup = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<\/[^\s<>&"'/=]+\s*>|<[^\s<>&"'/=!?]+/y;
const attribute = /\s+([^\s<>&"'/=]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const endOfTag = /\s*(\/?)>/y;
const characters = /[^<]+/y;

/**
 * Scans the text once, by the grammar of XML, and enforces the bounds before xmldom creates objects from it. The scan ends at the
 * first text that matches no pattern, so that no position is tried twice.
 *
 * @returns the number of attributes
 */
function checkMarkup(field: string, source: string): number {
  let at = 0;
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    at += match?.[0].length ?? 0;
    return match;
  };
  const malformedHere = () => malformed(field, source.slice(0, at).split('\n').length);
  const hold = (count: number, most: number, what: string) => {
    if (count > most) throw invalid(field, `must have at most ${most} ${what}; SAML never needs more.`);
  };
  /** For each open element, the number of namespaces declared on it and its ancestors. */
  const open: number[] = [];
  let references = 0;
  const holdReferences = (text: string) => {
    references += checkReferences(field, text, referencesMax - references);
    hold(references, referencesMax, 'references to characters');
  };
  let tags = 0;
  let attributesInAll = 0;
  for (;;) {
    holdReferences(read(characters)?.[0] ?? '');
    if (at === source.length) return attributesInAll;
    const [token] = read(markup) ?? [];
    if (token === undefined)
      throw /^<!DOCTYPE/i.test(source.slice(at, at + 9)) ? doctypeRefused(field) : malformedHere();
    tags += 1;
    hold(tags, tagsMax, 'tags');
    if (token.startsWith('</')) open.pop();
    if (/^<[/!?]/.test(token)) continue;
    let attributes = 0;
    let namespaces = open.at(-1) ?? 0;
    for (let given = read(attribute); given !== null; given = read(attribute)) {
      const [, name = '', quoted, apostrophed] = given;
      holdReferences(quoted ?? apostrophed ?? '');
      attributes += 1;
      if (name === 'xmlns' || name.startsWith('xmlns:')) namespaces += 1;
    }
    attributesInAll += attributes;
    hold(attributes, attributesMax, 'attributes on one element');
    hold(attributesInAll, attributesInAllMax, 'attributes');
    hold(namespaces, namespacesMax, 'namespaces in scope');
    const end = read(endOfTag);
    if (end === null) throw malformedHere();
    if (end[1] === '') open.push(namespaces);
    hold(open.length, elementDepthMax, 'levels');
  }
}

const reference = /&(?:(amp|lt|gt|quot|apos)|#([0-9]+)|#x([0-9a-fA-F]+));|&/g;

/**
 * Checks the references in a text: only predefined entities, and characters that XML may contain, are allowed. Returns how many there
 * are, at most one more than `most`.
 */
function checkReferences(field: string, text: string, most: number): number {
  let count = 0;
  for (const [, entity, decimal, hexadecimal] of text.matchAll(reference)) {
    count += 1;
    if (count > most) break;
    if (entity !== undefined) continue;
    const number = hexadecimal === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hexadecimal, 16);
    if (Number.isNaN(number)) {
      throw invalid(field, 'must be well-formed XML; an ampersand in it must be written as "&amp;".');
    }
    if (number > 0x10_ffff || forbiddenCharacter.test(String.fromCodePoint(number))) {
      throw invalid(field, 'must be well-formed XML; it refers to a character that XML cannot hold.');
    }
  }
  return count;
}

function countAttributes(document: Document): number {
  let count = 0;
  for (const element of document.getElementsByTagName('*')) count += element.attributes.length;
  return count;
}
