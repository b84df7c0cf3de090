// Decrypts the parts of messages that an identity provider has encrypted for us (SAML core 2.2.4, 2.3.4; XML Encryption 1.1). That
// something is encrypted proves nothing about who did it: anybody can encrypt for a public key. Pure: random bytes are an argument.

import type { KeyObject } from 'node:crypto';
import type { Document, Element, Node } from '@xmldom/xmldom';
import { assertionChildren, elementsOf, isNamed, onlyChild, textOf } from './elements.ts';
import { assumed, contentAlgorithms, decryptContent, decryptKey, keyTransports } from './encryption.ts';
import { decodeBase64, readMessage, readText } from './message.ts';
import { namespaces } from './namespaces.ts';
import { LoginRefusal } from './refusal.ts';

export interface Decryption {
  readonly openKeys: () => readonly KeyObject[];
  /**
   * Counts an attempt at an encrypted key; false if there were too many. To decrypt content without the key, one has to have it decrypted
   * with many small changes, always under the same encrypted key, and learn something about each.
   */
  readonly mayTry: (encryptedKey: Uint8Array) => boolean;
  readonly randomBytes: (size: number) => Uint8Array;
}

/**
 * Returns the refusal of a message with something encrypted in it that cannot be decrypted, or is not signed as it must be. It is the same
 * for everything that depends on the key; a detail may only tell what can be seen without it.
 */
export function undecipherable(
  detail = 'What is encrypted cannot be decrypted, or is not signed as it must be.',
): LoginRefusal {
  return new LoginRefusal('signature', detail);
}

/** Runs a step that sees what was decrypted, before a signature has proved whose it is: it fails in one way only. */
export function veiled<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof LoginRefusal ? undecipherable() : error;
  }
}

/** What was decrypted: an element in a document that declares the namespaces around it. */
export interface Decrypted {
  /** The text of the document. */
  readonly xml: string;
  readonly document: Document;
  readonly element: Element;
}

/**
 * Decrypts the text in an element such as `EncryptedAssertion`; null if that is not possible. What follows has to be `veiled`.
 *
 * @throws LoginRefusal as `undecipherable`, for what can be seen without the key
 */
export function decrypt(container: Element, decryption: Decryption): Uint8Array | null {
  const { content, contentAlgorithm, key, transport } = readContainer(container);
  if (!decryption.mayTry(key)) throw undecipherable('The same encrypted key has been used too often.');
  const { openKeys, randomBytes } = decryption;
  const contentKey = decryptKey(key, transport, contentAlgorithm, openKeys(), randomBytes);
  return decryptContent(content, contentAlgorithm, contentKey);
}

/**
 * Reads the element that was decrypted.
 *
 * @param scope the element whose namespaces are in scope for the text: the one in which it was encrypted
 * @param name what the element must be, in the assertion namespace
 * @throws LoginRefusal
 */
export function readDecrypted(text: Uint8Array | null, scope: Element, name: 'Assertion' | 'NameID'): Decrypted {
  if (text === null) throw undecipherable();
  const xml = inScopeOf(scope, readText(text));
  const document = readMessage(xml);
  const [element, ...others] = document.documentElement === null ? [] : elementsOf(document.documentElement);
  if (element === undefined || others.length > 0 || !isNamed(element, namespaces.assertion, name))
    throw undecipherable();
  return { xml, document, element };
}

/**
 * Returns the NameID of an element, which may be encrypted. The element must come from signed content.
 *
 * @throws LoginRefusal unless there is exactly one
 */
export function nameIdOf(parent: Element, decryption: Decryption): Element {
  const [encrypted] = assertionChildren(parent, 'EncryptedID');
  if (encrypted === undefined) return onlyChild(parent, 'NameID', 'name_id');
  if (assertionChildren(parent, 'NameID').length > 0) {
    throw new LoginRefusal('name_id', `${parent.localName} has a NameID and an encrypted one.`);
  }
  const text = decrypt(onlyChild(parent, 'EncryptedID', 'name_id'), decryption);
  return veiled(() => readDecrypted(text, encrypted, 'NameID').element);
}

/** Reads what can be seen of something encrypted. There is one key, for one recipient, inside it or beside it. */
function readContainer(container: Element) {
  const data = only(elementsOf(container).filter(isEncryption('EncryptedData')), container);
  const keyInfo = only(
    elementsOf(data).filter((element) => isNamed(element, namespaces.signature, 'KeyInfo')),
    data,
  );
  const key = only([...elementsOf(keyInfo), ...elementsOf(container)].filter(isEncryption('EncryptedKey')), container);
  if (container.getElementsByTagNameNS(namespaces.encryption, 'EncryptedKey').length > 1) throw malformed(container);
  const contentAlgorithm = contentAlgorithms.find(({ algorithm }) => algorithm === algorithmOf(methodOf(data)));
  if (contentAlgorithm === undefined) throw refusedAlgorithm(algorithmOf(methodOf(data)));
  return { content: cipherOf(data), contentAlgorithm, key: cipherOf(key), transport: readTransport(methodOf(key)) };
}

function readTransport(method: Element) {
  const algorithm = algorithmOf(method);
  const parameters = elementsOf(method);
  const parameter = (namespace: string, name: string) => {
    const [found, ...others] = parameters.filter((element) => isNamed(element, namespace, name));
    if (others.length > 0) throw malformed(method);
    return found && algorithmOf(found);
  };
  const digest = parameter(namespaces.signature, 'DigestMethod') ?? assumed.digest;
  const mask = parameter(namespaces.encryption11, 'MGF') ?? assumed.mask;
  const transport = keyTransports.find(
    (each) => each.algorithm === algorithm && each.digest === digest && each.mask === mask,
  );
  // A label, which nobody uses, would be another parameter.
  const label = parameters.find(isEncryption('OAEPparams'));
  if (transport === undefined || (label !== undefined && textOf(label).trim() !== '')) {
    throw refusedAlgorithm(`${algorithm} with ${digest} and ${mask}`);
  }
  return transport;
}

function methodOf(encrypted: Element): Element {
  return only(elementsOf(encrypted).filter(isEncryption('EncryptionMethod')), encrypted);
}

function algorithmOf(method: Element): string {
  return method.getAttribute('Algorithm') ?? '';
}

/** Returns the bytes in an element. They have to be in the message itself: nothing is fetched. */
function cipherOf(encrypted: Element): Uint8Array {
  const data = only(elementsOf(encrypted).filter(isEncryption('CipherData')), encrypted);
  const [value, ...others] = elementsOf(data);
  if (value === undefined || others.length > 0 || !isEncryption('CipherValue')(value)) throw malformed(data);
  try {
    return decodeBase64(textOf(value));
  } catch (error) {
    throw error instanceof LoginRefusal ? malformed(value) : error;
  }
}

function isEncryption(name: string): (element: Element) => boolean {
  return (element) => isNamed(element, namespaces.encryption, name);
}

function only([found, ...others]: readonly Element[], parent: Element): Element {
  if (found === undefined || others.length > 0) throw malformed(parent);
  return found;
}

function malformed({ localName }: Element): LoginRefusal {
  return undecipherable(`${localName} has more in it than is allowed, or less.`);
}

function refusedAlgorithm(algorithm: string): LoginRefusal {
  return undecipherable(`Encryption by ${algorithm} is refused.`);
}

/**
 * Writes a text as the content of an element with the namespaces that are in scope where it was encrypted (XML Encryption 1.1, section
 * 4.4): some identity providers leave their declarations on the response. A text that ends this element makes the document malformed.
 */
function inScopeOf(scope: Element, text: string): string {
  const declarations = new Map<string, string>();
  for (let node: Node | null = scope; node !== null; node = node.parentNode) {
    if (node.nodeType !== node.ELEMENT_NODE) continue;
    // `nodeType` says that the node is an element, but the compiler cannot infer that.
    for (const { name, value } of (node as Element).attributes) {
      if (/^xmlns(:|$)/.test(name) && !declarations.has(name)) declarations.set(name, value);
    }
  }
  const written = [...declarations].map(([name, value]) => ` ${name}="${escaped(value)}"`).join('');
  return `<Decrypted${written}>${text}</Decrypted>`;
}

function escaped(value: string): string {
  return value.replace(/[&<"\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
