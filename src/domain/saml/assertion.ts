// What a signed assertion must say for a login, and whom it names. Pure: the clock is an argument.

import type { Element } from '@xmldom/xmldom';
import { parseTimestamp } from '../time.ts';
import { type Person, readPerson } from './attributes.ts';
import { elementsOf, textOf } from './elements.ts';
import type { LoginProvider } from './login-provider.ts';
import { nameidFormats, namespaces } from './names.ts';
import { LoginRefusal } from './refusal.ts';
import type { ServiceProviderUrls } from './service-provider.ts';

/** How far the clock of an identity provider may be from ours. */
export const clockSkewMs = 60_000;
/** How long an assertion can be used, whatever it says: for as long, it must be remembered as used. */
export const assertionMsMax = 86_400_000;
/** Longest name and id, in characters: SAML allows 256 for persistent names; directories give longer ones. */
const nameCharactersMax = 1024;

/** What a response is held against. */
export interface ExpectedLogin {
  readonly provider: LoginProvider;
  /** Our own URLs. */
  readonly urls: ServiceProviderUrls;
  readonly nameidFormat: string;
  readonly forceAuthn: boolean;
  readonly allowIdpInitiated: boolean;
  /** The request that must be answered; null when none was sent. */
  readonly request: SentRequest | null;
}

/** A request that waits for its response. */
export interface SentRequest {
  readonly id: string;
  readonly sentAt: Date;
}

/** A person whom an identity provider has logged in. */
export interface Login extends Person {
  readonly nameId: string;
  readonly nameidFormat: string;
  /** The session at the identity provider. */
  readonly sessionIndex: string | null;
  /** When the identity provider ends its session; null if it does not say. */
  readonly sessionEndsAt: Date | null;
  readonly assertionId: string;
  /** From then on the assertion would be refused anyway, and need not be remembered as used. */
  readonly usableUntil: Date;
}

/**
 * Checks a signed assertion (SAML core 2, profiles 4.1.4.2 and 4.1.4.3).
 *
 * @throws LoginRefusal
 */
export function checkAssertion(assertion: Element, expected: ExpectedLogin, now: Date): Login {
  const assertionId = assertion.getAttribute('ID') ?? '';
  if (assertion.namespaceURI !== namespaces.assertion || assertion.localName !== 'Assertion') {
    throw malformed('What is signed is no assertion.');
  }
  if (assertion.getAttribute('Version') !== '2.0') throw malformed('The version of the assertion is not 2.0.');
  if (assertionId === '' || assertionId.length > nameCharactersMax) throw malformed('The assertion has no usable ID.');
  const issuedAt = instantOf(assertion, 'IssueInstant');
  checkBegun(issuedAt, now, 'The assertion was issued');
  const usableUntil = new Date(issuedAt.getTime() + assertionMsMax);
  checkNotOver(usableUntil, now, 'An assertion of this age is');

  const issuer = only(assertion, 'Issuer');
  if (textOf(issuer).trim() !== expected.provider.entityId) {
    throw new LoginRefusal('issuer', 'The assertion has another issuer.');
  }
  const conditionsEnd = checkConditions(only(assertion, 'Conditions'), expected, now);
  const subject = only(assertion, 'Subject');
  checkConfirmations(subject, expected, now);
  // Not the end of the confirmation: another one may last longer.
  const ends = [usableUntil, conditionsEnd].flatMap((end) => end?.getTime() ?? []);
  const { nameId, nameidFormat } = readNameId(subject, expected.nameidFormat);
  return {
    nameId,
    nameidFormat,
    ...checkStatements(assertion, issuedAt, expected, now),
    ...readPerson(assertion, nameId, nameidFormat),
    assertionId,
    usableUntil: new Date(Math.min(...ends) + clockSkewMs),
  };
}

/** Checks the conditions. Gives their end, if they have one. */
function checkConditions(conditions: Element, { urls }: ExpectedLogin, now: Date): Date | null {
  const end = checkTimes(conditions, now, 'The assertion');
  const known = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'];
  // SAML core 2.5.1.1: what is not understood makes an assertion invalid, or its validity unknown.
  if (elementsOf(conditions).some((element) => !known.some((name) => isSaml(element, name)))) {
    throw new LoginRefusal('confirmation', 'The assertion has a condition that is not known here.');
  }
  const restrictions = children(conditions, 'AudienceRestriction');
  const included = (restriction: Element) =>
    children(restriction, 'Audience').some((audience) => textOf(audience).trim() === urls.entityId);
  if (restrictions.length === 0 || !restrictions.every(included)) {
    throw new LoginRefusal('audience', 'The assertion is for another audience, or says none.');
  }
  return end;
}

/** Checks that a bearer may use the assertion here and now, by one of its confirmations. */
function checkConfirmations(subject: Element, expected: ExpectedLogin, now: Date): void {
  let first: LoginRefusal | undefined;
  for (const confirmation of children(subject, 'SubjectConfirmation')) {
    try {
      checkConfirmation(confirmation, expected, now);
      return;
    } catch (error) {
      if (!(error instanceof LoginRefusal)) throw error;
      first ??= error;
    }
  }
  throw first ?? new LoginRefusal('confirmation', 'The assertion has no SubjectConfirmation.');
}

function checkConfirmation(confirmation: Element, expected: ExpectedLogin, now: Date): void {
  if (confirmation.getAttribute('Method') !== 'urn:oasis:names:tc:SAML:2.0:cm:bearer') {
    throw new LoginRefusal('confirmation', 'The assertion has a SubjectConfirmation that is not for its bearer.');
  }
  const data = only(confirmation, 'SubjectConfirmationData');
  if (data.getAttribute('Recipient') !== expected.urls.assertionConsumerService) {
    throw new LoginRefusal('destination', 'The assertion has another Recipient.');
  }
  const end = checkTimes(data, now, 'The SubjectConfirmation');
  if (end === null) throw new LoginRefusal('confirmation', 'The SubjectConfirmation has no end.');
  checkAnswer(data, expected);
}

/** Checks that an element answers the request that was sent, or none when none was. */
export function checkAnswer(element: Element, { request, allowIdpInitiated }: ExpectedLogin): void {
  const inResponseTo = element.getAttribute('InResponseTo');
  if (inResponseTo !== (request?.id ?? null)) {
    throw new LoginRefusal('in_response_to', `${element.localName} answers another request, or one that is over.`);
  }
  if (request === null && !allowIdpInitiated) {
    throw new LoginRefusal('unsolicited', `${element.localName} answers no request.`);
  }
}

/** Checks the statements on the login itself. */
function checkStatements(assertion: Element, issuedAt: Date, { forceAuthn, request }: ExpectedLogin, now: Date) {
  const statements = children(assertion, 'AuthnStatement');
  const [statement] = statements;
  if (statement === undefined) throw new LoginRefusal('no_authentication', 'The assertion has no AuthnStatement.');
  const ends = statements.flatMap((each) => instantIn(each, 'SessionNotOnOrAfter') ?? []);
  const sessionEndsAt = ends.length === 0 ? null : new Date(Math.min(...ends.map((end) => end.getTime())));
  // Without the skew: a session that ends at once would send its user around in circles.
  if (sessionEndsAt !== null && sessionEndsAt <= now) {
    throw new LoginRefusal('expired', `The session at the identity provider ended at ${sessionEndsAt.toISOString()}.`);
  }
  for (const each of statements) {
    const authenticatedAt = instantOf(each, 'AuthnInstant');
    checkBegun(authenticatedAt, now, 'The user logged in');
    // The user may have taken the demand out of the request, and an unsolicited response answers none.
    const earliest = (request?.sentAt ?? issuedAt).getTime() - clockSkewMs;
    if (forceAuthn && authenticatedAt.getTime() < earliest) {
      throw new LoginRefusal(
        'not_fresh',
        `The user logged in at ${authenticatedAt.toISOString()}, before the request.`,
      );
    }
  }
  return { sessionIndex: statement.getAttribute('SessionIndex'), sessionEndsAt };
}

function readNameId(subject: Element, expectedFormat: string): { nameId: string; nameidFormat: string } {
  const element = only(subject, 'NameID', 'name_id');
  const nameId = textOf(element).trim();
  if (nameId === '' || nameId.length > nameCharactersMax || /\p{Cc}/u.test(nameId)) {
    throw new LoginRefusal('name_id', 'The NameID is empty, too long, or has control characters.');
  }
  const [, , , unspecified] = nameidFormats;
  const nameidFormat = element.getAttribute('Format') ?? unspecified;
  // Who expects none in particular leaves the choice to the identity provider (SAML core 8.3.1).
  if (expectedFormat !== unspecified && nameidFormat !== expectedFormat) {
    throw new LoginRefusal('name_id', `The NameID has the format ${nameidFormat}, not ${expectedFormat}.`);
  }
  return { nameId, nameidFormat };
}

/** Checks `NotBefore` and `NotOnOrAfter`, where they are. Gives the latter. */
function checkTimes(element: Element, now: Date, what: string): Date | null {
  const begin = instantIn(element, 'NotBefore');
  const end = instantIn(element, 'NotOnOrAfter');
  if (begin !== null) checkBegun(begin, now, `${what} is valid`);
  if (end !== null) checkNotOver(end, now, `${what} is`);
  return end;
}

function checkBegun(begin: Date, now: Date, what: string): void {
  if (begin.getTime() - clockSkewMs > now.getTime()) {
    throw new LoginRefusal('not_yet_valid', `${what} from ${begin.toISOString()} on.`);
  }
}

function checkNotOver(end: Date, now: Date, what: string): void {
  if (end.getTime() + clockSkewMs <= now.getTime()) {
    throw new LoginRefusal('expired', `${what} over since ${end.toISOString()}.`);
  }
}

function instantIn(element: Element, name: string): Date | null {
  const text = element.getAttribute(name);
  if (text === null) return null;
  try {
    return parseTimestamp(name, text);
  } catch {
    throw malformed(`${name} of ${element.localName} is no time.`);
  }
}

function instantOf(element: Element, name: string): Date {
  const instant = instantIn(element, name);
  if (instant === null) throw malformed(`${element.localName} has no ${name}.`);
  return instant;
}

function isSaml(element: Element, name: string): boolean {
  return element.localName === name && element.namespaceURI === namespaces.assertion;
}

function children(parent: Element, name: string): Element[] {
  return elementsOf(parent).filter((element) => isSaml(element, name));
}

/** Finds the one child of a name. */
function only(parent: Element, name: string, reason: 'malformed' | 'name_id' = 'malformed'): Element {
  const [found, ...others] = children(parent, name);
  if (found === undefined || others.length > 0) {
    throw new LoginRefusal(
      reason,
      `${parent.localName} must have one ${name}; it has ${others.length + (found ? 1 : 0)}.`,
    );
  }
  return found;
}

function malformed(detail: string): LoginRefusal {
  return new LoginRefusal('malformed', detail);
}
