// Messages of identity providers as XML: decoded, bounded, and with signatures only where they belong. What is common to responses
// and messages about logouts. Pure.

import type { Document, Element } from '@xmldom/xmldom';
import { SallyportError } from '../errors.ts';
import { elementsOf, isNamed } from './elements.ts';
import { namespaces } from './names.ts';
import { LoginRefusal } from './refusal.ts';
import { parseXml } from './xml.ts';

/** Longest message, in bytes of UTF-8. Honest ones have up to 30 KB: 150 groups in 8, the certificates in 4. */
export const messageBytesMax = 128 * 1024;
/**
 * Most elements and attributes of a message together; declarations of namespaces are attributes too. Some identity providers write
 * eight for each group, with an attribute of its own and three declarations at its value: this is twice as many as 150 groups need.
 */
export const messageNodesMax = 3_000;

/** Decodes a message as a form brings it. Throws LoginRefusal. */
export function decodeMessage(encoded: string): string {
  return readText(decodeBase64(encoded));
}

/** Decodes Base64, in lines or not. Throws LoginRefusal. */
export function decodeBase64(encoded: string): Buffer {
  if (encoded.length > (messageBytesMax / 3) * 4 + 8192) {
    throw new LoginRefusal('too_large', `The message has ${encoded.length} characters of Base64.`);
  }
  const base64 = encoded.replace(/[\r\n\t ]+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new LoginRefusal('malformed', 'The message is not Base64.');
  return Buffer.from(base64, 'base64');
}

/** Reads the text of a message. Throws LoginRefusal for too much, and for what is no UTF-8. */
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

/** Algorithms that are secure. SHA-1 is not: two texts with one digest can be made. */
const signatureAlgorithms = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
];
const digestAlgorithms = ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'];

/** All elements of a message, found by their local names alone, wherever they are. */
export type FindNamed = (...names: string[]) => Element[];

/** Counts the nodes of a message before anything else is done with them, and gives what finds elements. Throws LoginRefusal. */
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
 * Checks that signatures stand only in elements that may have one, one in each, that no two elements have one ID, and that all
 * algorithms are secure. What wraps something signed to show something else needs a second of something.
 *
 * @returns the elements that have a signature, which nobody has verified
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
  checkAlgorithms(named('DigestMethod'), digestAlgorithms);
  return signers;
}

function checkAlgorithms(methods: readonly Element[], secure: readonly string[]): void {
  for (const method of methods) {
    const algorithm = method.getAttribute('Algorithm') ?? '';
    if (!secure.includes(algorithm)) throw new LoginRefusal('weak_algorithm', `The algorithm ${algorithm} is refused.`);
  }
}

/** Reads the codes of a status, the general one first. Throws LoginRefusal where there is not exactly one status with one code. */
export function readStatus(message: Element): readonly string[] {
  const children = (parent: Element, name: string) =>
    elementsOf(parent).filter((element) => isNamed(element, namespaces.protocol, name));
  const [status, ...others] = children(message, 'Status');
  if (status === undefined || others.length > 0) throw new LoginRefusal('malformed', 'The message has not one status.');
  const codes = children(status, 'StatusCode');
  const [code] = codes;
  if (code === undefined || codes.length > 1) throw new LoginRefusal('malformed', 'The status has not one code.');
  return [code, ...children(code, 'StatusCode')].map((each) => each.getAttribute('Value') ?? '');
}
