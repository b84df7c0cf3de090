// The check of a response of an identity provider, from the form that a browser posts to the person it names. Pure: the clock
// is an argument.

import type { Document, Element } from '@xmldom/xmldom';
import { SallyportError } from '../errors.ts';
import { checkAnswer, checkAssertion, type ExpectedLogin, type Login } from './assertion.ts';
import { elementsOf, textOf } from './elements.ts';
import { namespaces } from './names.ts';
import { LoginRefusal } from './refusal.ts';
import { readSignedAssertion } from './signature.ts';
import { parseXml } from './xml.ts';

/** Longest response, in bytes of UTF-8. Honest ones have up to 30 KB: 150 groups in 8, the certificates in 4. */
export const responseBytesMax = 128 * 1024;
/** Most elements of a response: twice as many as 150 groups with an attribute each need. Each costs 20 µs for every key. */
export const responseElementsMax = 1_000;

/**
 * Checks a response (SAML profiles 4.1.4; bindings 3.5). Everything in the result was signed by the identity provider.
 *
 * @param encoded the value of `SAMLResponse` as the browser sent it
 * @throws LoginRefusal
 */
export async function checkResponse(encoded: string, expected: ExpectedLogin, now: Date): Promise<Login> {
  const { provider } = expected;
  if (provider.validUntil !== null && provider.validUntil <= now) {
    throw new LoginRefusal('metadata_expired', `The metadata expired at ${provider.validUntil.toISOString()}.`);
  }
  const xml = decode(encoded);
  const document = readXml(xml);
  const { response, isSigned } = checkStructure(document);
  checkEnvelope(response, isSigned, expected);
  const assertionXml = await readSignedAssertion(xml, isSigned, provider.signingCertificates);
  const assertion = readXml(assertionXml).documentElement;
  if (assertion === null) throw new LoginRefusal('malformed', 'The signed assertion is empty.');
  return checkAssertion(assertion, expected, now);
}

function decode(encoded: string): string {
  if (encoded.length > (responseBytesMax / 3) * 4 + 8192) {
    throw new LoginRefusal('too_large', `The response has ${encoded.length} characters of Base64.`);
  }
  const base64 = encoded.replace(/[\r\n\t ]+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new LoginRefusal('malformed', 'The response is not Base64.');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > responseBytesMax) {
    throw new LoginRefusal('too_large', `The response has ${bytes.length} bytes; the maximum is ${responseBytesMax}.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
  } catch {
    throw new LoginRefusal('malformed', 'The response is not UTF-8.');
  }
}

function readXml(xml: string): Document {
  try {
    return parseXml('SAMLResponse', xml);
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

/**
 * Checks that a document is one response with one assertion, in places that leave no room for another reading, before any
 * signature is looked at. Elements are counted by their local names alone, wherever they are: what wraps a signed assertion to
 * show another one needs a second of something.
 */
function checkStructure(document: Document): { response: Element; isSigned: boolean } {
  const response = document.documentElement;
  if (response === null || !isNamed(response, namespaces.protocol, 'Response')) {
    throw new LoginRefusal('malformed', 'The root of the response is not a Response.');
  }
  const all = [...document.getElementsByTagName('*')];
  if (all.length > responseElementsMax) {
    throw new LoginRefusal(
      'too_large',
      `The response has ${all.length} elements; the maximum is ${responseElementsMax}.`,
    );
  }
  const named = (...names: string[]) => all.filter(({ localName }) => names.includes(localName ?? ''));
  checkStatus(response);
  if (named('EncryptedAssertion', 'EncryptedID', 'EncryptedAttribute', 'EncryptedData').length > 0) {
    throw new LoginRefusal('encrypted', 'The response has something encrypted in it.');
  }
  const [assertion, ...others] = named('Assertion');
  if (assertion === undefined) throw new LoginRefusal('no_assertion', 'The response has no assertion.');
  if (others.length > 0) throw new LoginRefusal('several_assertions', 'The response has several assertions.');
  if (assertion.parentNode !== response || !isNamed(assertion, namespaces.assertion, 'Assertion')) {
    throw new LoginRefusal('malformed', 'The assertion is not where it must be.');
  }
  const signatures = named('Signature');
  const signers = new Set(signatures.map(({ parentNode }) => parentNode));
  if (signers.size < signatures.length || [...signers].some((parent) => parent !== response && parent !== assertion)) {
    throw new LoginRefusal('signature', 'A signature is not where it must be.');
  }
  const ids = all.flatMap((element) => ['ID', 'Id', 'id'].flatMap((name) => element.getAttribute(name) ?? []));
  if (new Set(ids).size < ids.length) throw new LoginRefusal('signature', 'Two elements have one ID.');
  checkAlgorithms(named('SignatureMethod'), signatureAlgorithms);
  checkAlgorithms(named('DigestMethod'), digestAlgorithms);
  return { response, isSigned: signers.has(response) };
}

function isNamed(element: Element, namespace: string, name: string): boolean {
  return element.localName === name && element.namespaceURI === namespace;
}

function checkAlgorithms(methods: readonly Element[], secure: readonly string[]): void {
  for (const method of methods) {
    const algorithm = method.getAttribute('Algorithm') ?? '';
    if (!secure.includes(algorithm)) throw new LoginRefusal('weak_algorithm', `The algorithm ${algorithm} is refused.`);
  }
}

/** Checks what the response says itself. It need not be signed, so that this only refuses, and proves nothing. */
function checkEnvelope(response: Element, isSigned: boolean, expected: ExpectedLogin): void {
  const { provider, urls } = expected;
  if (response.getAttribute('Version') !== '2.0') throw new LoginRefusal('malformed', 'The version is not 2.0.');
  const issuers = elementsOf(response).filter((element) => isNamed(element, namespaces.assertion, 'Issuer'));
  if (issuers.some((issuer) => textOf(issuer).trim() !== provider.entityId)) {
    throw new LoginRefusal('issuer', 'The response has another issuer.');
  }
  // SAML bindings 3.5.5.2: a signed response must have one.
  const destination = response.getAttribute('Destination');
  const isRight = destination === null ? !isSigned : destination === urls.assertionConsumerService;
  if (!isRight) throw new LoginRefusal('destination', `The response was sent to ${destination ?? 'no destination'}.`);
  checkAnswer(response, expected);
}

function checkStatus(response: Element): void {
  const children = (parent: Element, name: string) =>
    elementsOf(parent).filter((element) => isNamed(element, namespaces.protocol, name));
  const [status, ...others] = children(response, 'Status');
  if (status === undefined || others.length > 0)
    throw new LoginRefusal('malformed', 'The response has not one status.');
  const codes = children(status, 'StatusCode');
  const [code] = codes;
  if (code === undefined || codes.length > 1) throw new LoginRefusal('malformed', 'The status has not one code.');
  const value = code.getAttribute('Value') ?? '';
  if (value === 'urn:oasis:names:tc:SAML:2.0:status:Success') return;
  const second = children(code, 'StatusCode').map((inner) => inner.getAttribute('Value') ?? '');
  throw new LoginRefusal('status', `The status is ${[value, ...second].join(', ')}.`);
}
