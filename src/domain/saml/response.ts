// Checks the response of an identity provider, from the form that a browser posts to the person that it names. Pure: the clock
// is an argument.

import type { Document, Element } from '@xmldom/xmldom';
import { checkAnswer, checkAssertion, type ExpectedLogin, type Login, type SentRequest } from './assertion.ts';
import { elementsOf, givenAttribute, isNamed, textOf } from './elements.ts';
import { isOver, type LoginProvider } from './login-provider.ts';
import { checkSignatures, decodeMessage, elementsIn, readMessage, readStatus } from './message.ts';
import { namespaces, successStatus } from './names.ts';
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
  const { response, assertion, isSigned } = checkStructure(readMessage(xml));
  // This attribute may be unsigned, so the assertion must say the same.
  const inResponseTo = givenAttribute(response, 'InResponseTo');
  const request = inResponseTo === null ? null : against.findRequest(inResponseTo);
  const expected: ExpectedLogin = { ...against, request };
  checkEnvelope(response, isSigned, expected);
  const { signingKeys } = provider;
  // The content of the response itself is not trusted, but its signature, if there is one, must be valid.
  if (isSigned) readSigned(xml, response, signingKeys);
  const signed = readMessage(readSigned(xml, assertion, signingKeys)).documentElement;
  if (signed === null) throw new LoginRefusal('malformed', 'The signed assertion is empty.');
  return { ...checkAssertion(signed, expected, clock), request };
}

/**
 * Checks that a document is one response with one assertion, in positions that allow only one interpretation, before any signature is
 * verified. Elements are counted by their local names alone, wherever they are: an attack that wraps a signed assertion to present
 * another one needs a second element of some kind.
 */
function checkStructure(document: Document): { response: Element; assertion: Element; isSigned: boolean } {
  const response = document.documentElement;
  if (response === null || !isNamed(response, namespaces.protocol, 'Response')) {
    throw new LoginRefusal('malformed', 'The root of the response is not a Response.');
  }
  const named = elementsIn(document);
  const { codes, description } = readStatus(response);
  if (codes[0] !== successStatus) throw new LoginRefusal('status', `The status is ${description}.`);
  if (named('EncryptedAssertion', 'EncryptedID', 'EncryptedAttribute', 'EncryptedData').length > 0) {
    throw new LoginRefusal('encrypted', 'The response has something encrypted in it.');
  }
  const [assertion, ...others] = named('Assertion');
  if (assertion === undefined) throw new LoginRefusal('no_assertion', 'The response has no assertion.');
  if (others.length > 0) throw new LoginRefusal('several_assertions', 'The response has several assertions.');
  if (assertion.parentNode !== response || !isNamed(assertion, namespaces.assertion, 'Assertion')) {
    throw new LoginRefusal('malformed', 'The assertion is not where it must be.');
  }
  const signers = checkSignatures(named, [response, assertion]);
  return { response, assertion, isSigned: signers.has(response) };
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
