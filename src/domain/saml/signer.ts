// Finds the key that made a signature. Uses only the SignedInfo and the value, which are small, so a forgery costs little. Pure.

import { KeyObject } from 'node:crypto';
import type { Element } from '@xmldom/xmldom';
import { SignedXml } from 'xml-crypto';
import { findAncestorNsForElement } from 'xml-crypto/lib/utils.js';
import { digestAlgorithms, digestOf, isSignedBy, signatureAlgorithms } from './algorithms.ts';
import { elementsOf, isNamed, textOf } from './elements.ts';
import { namespaces } from './namespaces.ts';
import { LoginRefusal } from './refusal.ts';

/** Longest SignedInfo, in characters of XML. Honest ones have about 1,000. */
const signedInfoCharactersMax = 8192;

const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const inclusive = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const canonicalForms = [exclusive, `${exclusive}WithComments`, inclusive, `${inclusive}#WithComments`];

/**
 * The allowed structure of a SignedInfo, in the form that `shapeOf` returns: one reference, and at most two transforms (SAML core
 * 5.4). A canonicalization may have one parameter.
 */
const signedInfoShape =
  /^SignedInfo\(CanonicalizationMethod(\(ec:InclusiveNamespaces\))? SignatureMethod Reference\(Transforms\(Transform( Transform(\(ec:InclusiveNamespaces\))?)?\) DigestMethod DigestValue\)\)$/;

/** Creates a verifier of the library that knows our algorithms and no other. */
export function createSignedXml(): SignedXml {
  const library = new SignedXml();
  const signing = [...signatureAlgorithms.keys()].map((name) => [name, signatureClass(name)] as const);
  const digesting = [...digestAlgorithms].map(([name, digest]) => [name, digestClass(name, digest)] as const);
  library.SignatureAlgorithms = Object.fromEntries(signing);
  library.HashAlgorithms = Object.fromEntries(digesting);
  return library;
}

/**
 * Finds the key that made the signature of an element. Does not verify that the signed content is the element.
 *
 * @returns the signature, and the key that made it
 * @throws LoginRefusal with the reason `signature`
 */
export function findSigner(element: Element, keys: readonly KeyObject[]): { signature: Element; signer: KeyObject } {
  const [signature, ...signatures] = childrenOf(element, 'Signature');
  if (signature === undefined) throw refused(`The ${element.localName} is not signed.`);
  const [signedInfo, ...signedInfos] = childrenOf(signature, 'SignedInfo');
  const [value, ...values] = childrenOf(signature, 'SignatureValue');
  const isOne = signatures.length + signedInfos.length + values.length === 0;
  if (!isOne || signedInfo === undefined || value === undefined) {
    throw refused('A signature must have one SignedInfo and one SignatureValue.');
  }
  const { canonicalForm, algorithm, uri } = readSignedInfo(signedInfo);
  if (uri !== `#${element.getAttribute('ID')}`) throw refused(`The signature is not of the ${element.localName}.`);

  const Canonicalization = new SignedXml().CanonicalizationAlgorithms[canonicalForm];
  if (Canonicalization === undefined) throw refused(`${canonicalForm} is not supported.`);
  const given = Buffer.from(textOf(value), 'base64');
  const ancestorNamespaces = findAncestorNsForElement(forLibrary(signedInfo));
  const { defaultNsForPrefix } = SignedXml;
  let signer: KeyObject | undefined;
  try {
    // A copy, because the library adds namespace declarations to it.
    const copy = forLibrary(signedInfo.cloneNode(true));
    const signed = new Canonicalization().process(copy, { ancestorNamespaces, defaultNsForPrefix }).toString();
    signer = keys.find((key) => isSignedBy(key, algorithm, signed, given));
  } catch (error) {
    throw refused(error instanceof Error ? error.message : 'The signature cannot be verified.');
  }
  if (signer === undefined) throw refused('The signature was not made by a key of the metadata.');
  return { signature, signer };
}

/** Returns an algorithm in the form that the library takes: it only verifies. */
function signatureClass(name: string) {
  return class {
    getAlgorithmName = () => name;
    getSignature = (): never => {
      throw new Error('Messages of identity providers are not signed here.');
    };
    verifySignature = (signed: string, key: unknown, signature: string) =>
      key instanceof KeyObject && isSignedBy(key, name, signed, Buffer.from(signature, 'base64'));
  };
}

function digestClass(name: string, digest: string) {
  return class {
    getAlgorithmName = () => name;
    getHash = (text: string) => digestOf(digest, text);
  };
}

/** Reads the algorithms and the reference of a SignedInfo. Throws LoginRefusal if its structure is not what SAML allows. */
function readSignedInfo(signedInfo: Element) {
  const isAllowed =
    signedInfoShape.test(shapeOf(signedInfo)) && signedInfo.toString().length <= signedInfoCharactersMax;
  if (!isAllowed) throw refused('The SignedInfo has more in it than SAML allows, or less.');
  const valuesOf = (name: string, attribute: string) =>
    [...signedInfo.getElementsByTagNameNS(namespaces.signature, name)].map(
      (each) => each.getAttribute(attribute) ?? '',
    );
  const [canonicalForm = '', algorithm = ''] = [
    ...valuesOf('CanonicalizationMethod', 'Algorithm'),
    ...valuesOf('SignatureMethod', 'Algorithm'),
  ];
  const [first, ...others] = valuesOf('Transform', 'Algorithm');
  if (first !== enveloped || ![canonicalForm, ...others].every((each) => canonicalForms.includes(each))) {
    throw refused('The SignedInfo has a transform or a canonical form that SAML does not allow.');
  }
  return { canonicalForm, algorithm, uri: valuesOf('Reference', 'URI')[0] };
}

/** The prefixes of names in the form that `shapeOf` returns, by namespace. */
const prefixes = new Map<string | null, string>([
  [namespaces.signature, ''],
  [exclusive, 'ec:'],
]);

/** Returns the structure of an element, such as `a(b ec:c)`. Names of unexpected namespaces are written as `{namespace}name`. */
function shapeOf(element: Element): string {
  const { namespaceURI, localName } = element;
  const name = `${prefixes.get(namespaceURI) ?? `{${namespaceURI ?? ''}}`}${localName}`;
  const content = elementsOf(element).map(shapeOf).join(' ');
  return content === '' ? name : `${name}(${content})`;
}

function childrenOf(parent: Element, name: string): Element[] {
  return elementsOf(parent).filter((element) => isNamed(element, namespaces.signature, name));
}

/** Returns a node for the library, which uses the DOM types of browsers but needs nothing that our nodes lack. */
export function forLibrary(element: unknown): globalThis.Element {
  return element as globalThis.Element;
}

function refused(detail: string): LoginRefusal {
  return new LoginRefusal('signature', detail);
}
