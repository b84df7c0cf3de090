// Checks the response of an identity provider, from the form that a browser posts to the person that it names. Pure: the clock
// is an argument.

import type { KeyObject } from 'node:crypto';
import type { Document, Element } from '@xmldom/xmldom';
import { checkAnswer, checkAssertion, type ExpectedLogin, type Login, type SentRequest } from './assertion.ts';
import { decrypt, readDecrypted, undecipherable, veiled } from './decryption.ts';
import { assertionChildren, elementsOf, givenAttribute, isNamed, textOf } from './elements.ts';
import { isOver, type LoginProvider } from './login-provider.ts';
import { checkSignatures, decodeMessage, elementsIn, type FindNamed, readMessage, readStatus } from './message.ts';
import { namespaces, successStatus } from './namespaces.ts';
import { LoginRefusal } from './refusal.ts';
import { readSigned } from './signature.ts';
import type { Clock } from './times.ts';

/** What a response is checked against, except for the request: the response itself says which one it answers. */
export interface ExpectedResponse<R extends SentRequest> extends Omit<ExpectedLogin, 'request'> {
  /** Returns our request with an id; null if we have not sent it or sent it too long ago. */
  readonly findRequest: (id: string) => R | null;
}

/** Checks that the metadata of an identity provider has not expired. Throws LoginRefusal. */
export function checkMetadata({ validUntil }: LoginProvider, now: Date): void {
  if (!isOver(validUntil, now)) return;
  throw new LoginRefusal('metadata_expired', `The metadata expired at ${validUntil?.toISOString()}.`);
}

/**
 * Checks a response (SAML profiles 4.1.4; bindings 3.5). Everything in the result was signed by the identity provider.
 *
 * @param encoded the value of `SAMLResponse` as the browser sent it
 * @returns who has logged in, and the request that was answered; null for none
 * @throws LoginRefusal
 */
export function checkResponse<R extends SentRequest>(
  encoded: string,
  against: ExpectedResponse<R>,
  clock: Clock,
): Login & { readonly request: R | null } {
  const { provider } = against;
  checkMetadata(provider, clock.now);
  const xml = decodeMessage(encoded);
  const document = readMessage(xml);
  const response = responseIn(document);
  // This attribute may be unsigned, so the assertion must say the same. It is read before anything is refused: a page leads on.
  const inResponseTo = givenAttribute(response, 'InResponseTo');
  const request = inResponseTo === null ? null : against.findRequest(inResponseTo);
  const expected: ExpectedLogin = { ...against, ...request?.terms, request };
  const parts = checkStructure(document, response);
  const whole = readWhole(xml, parts, provider.signingKeys);
  checkEnvelope(whole ?? response, whole !== null, expected);
  return { ...checkAssertion(readAssertion(xml, parts, whole, expected), expected, clock), request };
}

interface Parts {
  readonly response: Element;
  /** The assertion, or the element in which it is encrypted. */
  readonly content: Element;
  /** The elements that have a signature, which has not been verified. */
  readonly signers: ReadonlySet<unknown>;
}

/** Returns the root of a document, which must be a response. Throws LoginRefusal. */
function responseIn({ documentElement: root }: Document): Element {
  if (root === null || !isNamed(root, namespaces.protocol, 'Response')) {
    throw new LoginRefusal('malformed', 'The root of the response is not a Response.');
  }
  return root;
}

const contentNames = ['Assertion', 'EncryptedAssertion'] as const;

/**
 * Checks that a document is one response with one assertion, in positions that allow only one interpretation, before any signature is
 * verified. Elements are counted by their local names alone, wherever they are: an attack that wraps a signed element to present
 * another one needs a second element of some kind.
 */
function checkStructure(document: Document, response: Element): Parts {
  const named = elementsIn(document);
  const { codes, description } = readStatus(response);
  if (codes[0] !== successStatus) throw new LoginRefusal('status', `The status is ${description}.`);
  checkEncrypted(named);
  const [content, ...others] = named(...contentNames);
  if (content === undefined) throw new LoginRefusal('no_assertion', 'The response has no assertion.');
  if (others.length > 0) throw severalAssertions(named);
  const isAllowed = contentNames.some((name) => isNamed(content, namespaces.assertion, name));
  if (content.parentNode !== response || !isAllowed) {
    throw new LoginRefusal('malformed', 'The assertion is not where it must be.');
  }
  const mayBeSigned = content.localName === 'Assertion' ? [response, content] : [response];
  return { response, content, signers: checkSignatures(named, mayBeSigned) };
}

/** Checks that nothing is encrypted but an assertion, or the name in one. */
function checkEncrypted(named: FindNamed): void {
  if (named('EncryptedAttribute').length > 0) {
    throw new LoginRefusal('encrypted', 'The response has an encrypted attribute.');
  }
  const containers = named('EncryptedAssertion', 'EncryptedID').length;
  if (named('EncryptedID').length > 1 || named('EncryptedData').length !== containers) {
    throw undecipherable('The response has more encrypted parts than are allowed, or fewer.');
  }
}

function severalAssertions(named: FindNamed): LoginRefusal {
  const detail = 'The response has several assertions.';
  return named('EncryptedAssertion').length > 0
    ? undecipherable(detail)
    : new LoginRefusal('several_assertions', detail);
}

/**
 * Returns the response as it was signed; null if it has no signature. Where it has one, that must be valid, even if the assertion has one
 * of its own: before anything is decrypted, because what was changed on the way is then refused without.
 */
function readWhole(xml: string, { response, signers }: Parts, keys: readonly KeyObject[]): Element | null {
  return signers.has(response) ? rootOf(readSigned(xml, response, keys)) : null;
}

/** Returns the assertion as it was signed: with a signature of its own, or else as a part of a signed response. */
function readAssertion(
  xml: string,
  { content, signers }: Parts,
  whole: Element | null,
  expected: ExpectedLogin,
): Element {
  const { signingKeys } = expected.provider;
  const inWhole = whole === null ? null : contentOf(whole);
  if (content.localName === 'EncryptedAssertion') return readEncrypted(content, inWhole, expected);
  if (signers.has(content)) return rootOf(readSigned(xml, content, signingKeys));
  if (inWhole === null) throw new LoginRefusal('signature', 'Neither the assertion nor the response is signed.');
  return inWhole;
}

/**
 * Decrypts an assertion, and checks it as if it had come in clear.
 *
 * @param content where it was encrypted, as it came
 * @param inWhole the same, as it was signed with the response; null if it was not. The assertion then needs a signature of its own
 */
function readEncrypted(content: Element, inWhole: Element | null, { provider, decryption }: ExpectedLogin): Element {
  const text = decrypt(inWhole ?? content, decryption);
  return veiled(() => {
    // The declarations of the response as it came, because a canonical form leaves out those that only the assertion uses.
    const { xml, document, element } = readDecrypted(text, content, 'Assertion');
    const named = elementsIn(document);
    checkEncrypted(named);
    if (named(...contentNames).length > 1) throw undecipherable();
    if (checkSignatures(named, [element]).has(element)) return rootOf(readSigned(xml, element, provider.signingKeys));
    if (inWhole === null) throw undecipherable();
    // Without a signature of its own, only what was signed may say what the prefixes in it mean.
    return readDecrypted(text, inWhole, 'Assertion').element;
  });
}

/** Returns the only assertion of a signed response, in clear or encrypted. */
function contentOf(whole: Element): Element {
  const [content, ...others] = contentNames.flatMap((name) => assertionChildren(whole, name));
  if (content === undefined || others.length > 0) {
    throw new LoginRefusal('signature', 'The assertion is not a part of what was signed.');
  }
  return content;
}

function rootOf(signed: string): Element {
  const root = readMessage(signed).documentElement;
  if (root === null) throw new LoginRefusal('malformed', 'What is signed is empty.');
  return root;
}

/** Checks the response itself. It may be unsigned, so this can only refuse it, and proves nothing. */
function checkEnvelope(response: Element, isSigned: boolean, expected: ExpectedLogin): void {
  const { provider, urls } = expected;
  if (response.getAttribute('Version') !== '2.0') throw new LoginRefusal('malformed', 'The version is not 2.0.');
  const issuers = elementsOf(response).filter((element) => isNamed(element, namespaces.assertion, 'Issuer'));
  if (issuers.some((issuer) => textOf(issuer).trim() !== provider.entityId)) {
    throw new LoginRefusal('issuer', 'The response has another issuer.');
  }
  // SAML bindings 3.5.5.2: a signed response must have a Destination.
  const destination = givenAttribute(response, 'Destination');
  const isRight = destination === null ? !isSigned : destination === urls.assertionConsumerService;
  if (!isRight) throw new LoginRefusal('destination', `The response was sent to ${destination ?? 'no destination'}.`);
  checkAnswer(response, expected);
}
