// Decodes messages of identity providers, bounds their size, and checks that signatures are only where they belong. Shared by
// responses and logout messages. Pure.

import type { Document, Element } from '@xmldom/xmldom';
import { SallyportError } from '../errors.ts';
import { digestAlgorithms, signatureAlgorithms } from './algorithms.ts';
import { elementsOf, isNamed, textOf } from './elements.ts';
import { namespaces } from './namespaces.ts';
import { LoginRefusal } from './refusal.ts';
import { parseXml } from './xml.ts';

/** Longest message, in bytes of UTF-8. Honest ones have up to 30 KB, of which 150 groups take 8 and the certificates 4. */
export const messageBytesMax = 128 * 1024;
/**
 * Most elements and attributes of a message together; namespace declarations count as attributes. Some identity providers write
 * eight for each group, with a separate attribute and three declarations on its value; the limit is twice what 150 groups need.
 */
export const messageNodesMax = 3_000;

/** Decodes a message from a form field. Throws LoginRefusal. */
export function decodeMessage(encoded: string): string {
  return readText(decodeBase64(encoded));
}

/** Decodes Base64, with or without line breaks. Throws LoginRefusal. */
export function decodeBase64(encoded: string): Buffer {
  if (encoded.length > (messageBytesMax / 3) * 4 + 8192) {
    throw new LoginRefusal('too_large', `The message has ${encoded.length} characters of Base64.`);
  }
  const base64 = encoded.replace(/[\r\n\t ]+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new LoginRefusal('malformed', 'The message is not Base64.');
  return Buffer.from(base64, 'base64');
}

/** Decodes the text of a message. Throws LoginRefusal if it is too long or is not UTF-8. */
export function readText(bytes: Uint8Array): string {
  if (bytes.length > messageBytesMax) {
    throw new LoginRefusal('too_large', `The message has ${bytes.length} bytes; the maximum is ${messageBytesMax}.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
  } catch {
    throw new LoginRefusal('malformed', 'The message is not UTF-8.');
  }
}

/** Parses a message. Throws LoginRefusal, also for a document type definition. */
export function readMessage(xml: string): Document {
  try {
    return parseXml('message', xml);
  } catch (error) {
    if (error instanceof SallyportError) throw new LoginRefusal('malformed', error.message);
    throw error;
  }
}

/** Finds elements of a message anywhere, by their local names alone; all elements if no name is given. */
export type FindNamed = (...names: string[]) => Element[];

/** Returns a function that finds elements of a message. Before that, throws LoginRefusal if the message has too many nodes. */
export function elementsIn(document: Document): FindNamed {
  const all = [...document.getElementsByTagName('*')];
  const nodes = all.reduce((count, { attributes }) => count + 1 + attributes.length, 0);
  if (nodes > messageNodesMax) {
    throw new LoginRefusal(
      'too_large',
      `The message has ${nodes} elements and attributes; the maximum is ${messageNodesMax}.`,
    );
  }
  return (...names) => (names.length === 0 ? all : all.filter(({ localName }) => names.includes(localName ?? '')));
}

/**
 * Checks that only the permitted elements have a signature, and at most one each, that no two elements have the same ID, and that
 * all algorithms are secure. A signature wrapping attack needs a second element of some kind, which these checks refuse.
 *
 * @returns the elements that have a signature; the signatures have not been verified
 */
export function checkSignatures(named: FindNamed, mayBeSigned: readonly Element[]): ReadonlySet<unknown> {
  const signatures = named('Signature');
  const signers = new Set<unknown>(signatures.map(({ parentNode }) => parentNode));
  const isElsewhere = ({ parentNode }: Element) => !mayBeSigned.some((element) => element === parentNode);
  if (signers.size < signatures.length || signatures.some(isElsewhere)) {
    throw new LoginRefusal('signature', 'A signature is not where it must be.');
  }
  const ids = named().flatMap((element) => ['ID', 'Id', 'id'].flatMap((name) => element.getAttribute(name) ?? []));
  if (new Set(ids).size < ids.length) throw new LoginRefusal('signature', 'Two elements have one ID.');
  checkAlgorithms(named('SignatureMethod'), signatureAlgorithms);
  // That of an encrypted key is no digest of what is signed.
  const isOfSignature = ({ parentNode }: Element) => parentNode?.localName !== 'EncryptionMethod';
  checkAlgorithms(named('DigestMethod').filter(isOfSignature), digestAlgorithms);
  return signers;
}

function checkAlgorithms(methods: readonly Element[], secure: ReadonlyMap<string, unknown>): void {
  for (const method of methods) {
    const algorithm = method.getAttribute('Algorithm') ?? '';
    if (!secure.has(algorithm)) throw new LoginRefusal('weak_algorithm', `The algorithm ${algorithm} is refused.`);
  }
}

export interface Status {
  /** Its codes, the top-level one first. */
  readonly codes: readonly string[];
  /** The codes, and what the identity provider says about them, for the log. */
  readonly description: string;
}

/** Most characters of what an identity provider says about its status. */
const statusMessageCharactersMax = 200;

/** Reads the status of a message. Throws LoginRefusal unless there is exactly one status with one code. */
export function readStatus(message: Element): Status {
  const children = (parent: Element, name: string) =>
    elementsOf(parent).filter((element) => isNamed(element, namespaces.protocol, name));
  const [status, ...others] = children(message, 'Status');
  if (status === undefined || others.length > 0) throw new LoginRefusal('malformed', 'The message has not one status.');
  const [code, ...more] = children(status, 'StatusCode');
  if (code === undefined || more.length > 0) throw new LoginRefusal('malformed', 'The status has not one code.');
  const codes = [code, ...children(code, 'StatusCode')].map((each) => each.getAttribute('Value') ?? '');
  const said = children(status, 'StatusMessage').map(textOf).join(' ').replace(/\s+/g, ' ').trim();
  const quoted = JSON.stringify(said.slice(0, statusMessageCharactersMax));
  return { codes, description: said === '' ? codes.join(', ') : `${codes.join(', ')}: ${quoted}` };
}
