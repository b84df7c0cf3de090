// Checks that a signed assertion is valid for a login, and reads whom it names. Pure: the clock is an argument.

import type { Element } from '@xmldom/xmldom';
import { type AttributeChoice, type Person, readPerson, usualAttributes } from './attributes.ts';
import { type Decryption, nameIdOf } from './decryption.ts';
import { assertionChildren, elementsOf, givenAttribute, isNamed, onlyChild, textOf } from './elements.ts';
import type { LoginProvider } from './login-provider.ts';
import { nameCharactersMax, nameidFormats, namespaces } from './namespaces.ts';
import { LoginRefusal } from './refusal.ts';
import type { AnsweredUrls } from './service-provider.ts';
import { type Clock, checkBegun, checkNotOver, checkTimes, clockSkewMsMax, instantIn, instantOf } from './times.ts';

/** How long an assertion can be used at most, whatever it says. A used one must be remembered that long. */
export const assertionMsMax = 86_400_000;

/** What a response is checked against. */
export interface ExpectedLogin {
  readonly provider: LoginProvider;
  /** Our own URLs. */
  readonly urls: AnsweredUrls;
  readonly nameidFormat: string;
  readonly forceAuthn: boolean;
  readonly allowIdpInitiated: boolean;
  /** The request that must be answered; null if none was sent. */
  readonly request: SentRequest | null;
  readonly decryption: Decryption;
  /** Which attributes count; the usual ones unless given. */
  readonly attributes?: AttributeChoice | undefined;
}

/** A request that waits for its response. */
export interface SentRequest {
  readonly id: string;
  readonly sentAt: Date;
  /** What it demands, if not what others do. */
  readonly terms?: Pick<ExpectedLogin, 'forceAuthn' | 'nameidFormat'>;
}

/** A person whom an identity provider has logged in. */
export interface Login extends Person {
  /** What the person is known by: the NameID, unless an attribute is chosen. */
  readonly subject: string;
  readonly nameId: string;
  readonly nameidFormat: string;
  /** The qualifier that makes the name unique, if the identity provider sends one; logout requests must repeat it. */
  readonly nameQualifier: string | null;
  readonly spNameQualifier: string | null;
  /** The session at the identity provider. */
  readonly sessionIndex: string | null;
  /** When the identity provider ends its session; null if it does not say. */
  readonly sessionEndsAt: Date | null;
  readonly assertionId: string;
  /** When the identity provider issued it, by its own clock. */
  readonly issuedAt: Date;
  /** From then on the assertion is refused anyway, so it need not be remembered as used. */
  readonly usableUntil: Date;
}

/** Checks a signed assertion (SAML core 2, profiles 4.1.4.2 and 4.1.4.3). Throws LoginRefusal. */
export function checkAssertion(assertion: Element, expected: ExpectedLogin, clock: Clock): Login {
  const assertionId = assertion.getAttribute('ID') ?? '';
  if (assertion.namespaceURI !== namespaces.assertion || assertion.localName !== 'Assertion') {
    throw new LoginRefusal('malformed', 'What is signed is not an assertion.');
  }
  if (assertion.getAttribute('Version') !== '2.0')
    throw new LoginRefusal('malformed', 'The version of the assertion is not 2.0.');
  if (assertionId === '' || assertionId.length > nameCharactersMax)
    throw new LoginRefusal('malformed', 'The assertion has no usable ID.');
  const issuedAt = instantOf(assertion, 'IssueInstant');
  checkBegun(issuedAt, clock, 'The assertion was issued');
  const usableUntil = new Date(issuedAt.getTime() + assertionMsMax);
  checkNotOver(usableUntil, clock, 'An assertion of this age is');

  const issuer = onlyChild(assertion, 'Issuer');
  if (textOf(issuer).trim() !== expected.provider.entityId) {
    throw new LoginRefusal('issuer', 'The assertion has another issuer.');
  }
  const conditionsEnd = checkConditions(onlyChild(assertion, 'Conditions'), expected, clock);
  const subject = onlyChild(assertion, 'Subject');
  checkConfirmations(subject, expected, clock);
  // The end of the confirmation does not count, because another confirmation may last longer.
  const ends = [usableUntil, conditionsEnd].flatMap((end) => end?.getTime() ?? []);
  const named = readNameId(subject, expected);
  return {
    ...named,
    ...checkStatements(assertion, issuedAt, expected, clock),
    ...readPerson(assertion, named.nameId, named.nameidFormat, expected.attributes ?? usualAttributes),
    assertionId,
    issuedAt,
    usableUntil: new Date(Math.min(...ends) + clockSkewMsMax),
  };
}

/** Checks the conditions. Returns their end; null if they have none. */
function checkConditions(conditions: Element, { urls }: ExpectedLogin, clock: Clock): Date | null {
  const end = checkTimes(conditions, clock, 'The assertion');
  const known = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'];
  // SAML core 2.5.1.1: a condition that is not understood makes the assertion invalid or its validity indeterminate.
  if (elementsOf(conditions).some((element) => !known.some((name) => isNamed(element, namespaces.assertion, name)))) {
    throw new LoginRefusal('confirmation', 'The assertion has a condition that is not known here.');
  }
  const restrictions = assertionChildren(conditions, 'AudienceRestriction');
  const included = (restriction: Element) =>
    assertionChildren(restriction, 'Audience').some((audience) => textOf(audience).trim() === urls.entityId);
  if (restrictions.length === 0 || !restrictions.every(included)) {
    throw new LoginRefusal('audience', 'The assertion is for another audience, or says none.');
  }
  return end;
}

/** Checks that one of the confirmations lets the bearer use the assertion here and now. */
function checkConfirmations(subject: Element, expected: ExpectedLogin, clock: Clock): void {
  let first: LoginRefusal | undefined;
  for (const confirmation of assertionChildren(subject, 'SubjectConfirmation')) {
    try {
      checkConfirmation(confirmation, expected, clock);
      return;
    } catch (error) {
      if (!(error instanceof LoginRefusal)) throw error;
      first ??= error;
    }
  }
  throw first ?? new LoginRefusal('confirmation', 'The assertion has no SubjectConfirmation.');
}

function checkConfirmation(confirmation: Element, expected: ExpectedLogin, clock: Clock): void {
  if (confirmation.getAttribute('Method') !== 'urn:oasis:names:tc:SAML:2.0:cm:bearer') {
    throw new LoginRefusal('confirmation', 'The assertion has a SubjectConfirmation that is not for its bearer.');
  }
  const data = onlyChild(confirmation, 'SubjectConfirmationData');
  if (data.getAttribute('Recipient') !== expected.urls.assertionConsumerService) {
    throw new LoginRefusal('destination', 'The assertion has another Recipient.');
  }
  const end = checkTimes(data, clock, 'The SubjectConfirmation');
  if (end === null) throw new LoginRefusal('confirmation', 'The SubjectConfirmation has no end.');
  checkAnswer(data, expected);
}

/** Checks that an element answers the request that was sent, or no request if none was sent. */
export function checkAnswer(element: Element, { request, allowIdpInitiated }: ExpectedLogin): void {
  const inResponseTo = givenAttribute(element, 'InResponseTo');
  if (inResponseTo !== (request?.id ?? null)) {
    throw new LoginRefusal('in_response_to', `${element.localName} answers another request, or one that is over.`);
  }
  if (request === null && !allowIdpInitiated) {
    throw new LoginRefusal('unsolicited', `${element.localName} answers no request.`);
  }
}

function checkStatements(assertion: Element, issuedAt: Date, { forceAuthn, request }: ExpectedLogin, clock: Clock) {
  const statements = assertionChildren(assertion, 'AuthnStatement');
  const [statement] = statements;
  if (statement === undefined) throw new LoginRefusal('no_authentication', 'The assertion has no AuthnStatement.');
  const ends = statements.flatMap((each) => instantIn(each, 'SessionNotOnOrAfter') ?? []);
  const sessionEndsAt = ends.length === 0 ? null : new Date(Math.min(...ends.map((end) => end.getTime())));
  // No allowance for clock skew: a session that ends at once would send its user around in circles.
  if (sessionEndsAt !== null && sessionEndsAt <= clock.now) {
    throw new LoginRefusal('expired', `The session at the identity provider ended at ${sessionEndsAt.toISOString()}.`);
  }
  for (const each of statements) {
    const authenticatedAt = instantOf(each, 'AuthnInstant');
    checkBegun(authenticatedAt, clock, 'The user logged in');
    // Needed because the user can remove ForceAuthn from the request, and an unsolicited response answers no request.
    const earliest = (request?.sentAt ?? issuedAt).getTime() - clock.skewMs;
    if (forceAuthn && authenticatedAt.getTime() < earliest) {
      throw new LoginRefusal(
        'not_fresh',
        `The user logged in at ${authenticatedAt.toISOString()}, before the request.`,
      );
    }
  }
  const sessionIndex = statement.getAttribute('SessionIndex');
  if ((sessionIndex ?? '').length > nameCharactersMax) {
    throw new LoginRefusal('malformed', `The SessionIndex has more than ${nameCharactersMax} characters.`);
  }
  return { sessionIndex, sessionEndsAt };
}

function readNameId(subject: Element, { nameidFormat: expectedFormat, decryption }: ExpectedLogin) {
  const element = nameIdOf(subject, decryption);
  const nameId = textOf(element).trim();
  const nameQualifier = element.getAttribute('NameQualifier');
  const spNameQualifier = element.getAttribute('SPNameQualifier');
  const isTooLong = [nameId, nameQualifier, spNameQualifier].some((text) => (text ?? '').length > nameCharactersMax);
  if (nameId === '' || isTooLong || /\p{Cc}/u.test(nameId)) {
    throw new LoginRefusal('name_id', 'The NameID is empty, too long, or has control characters.');
  }
  const [, , , unspecified] = nameidFormats;
  const nameidFormat = element.getAttribute('Format') ?? unspecified;
  // `unspecified` leaves the choice to the identity provider (SAML core 8.3.1).
  if (expectedFormat !== unspecified && nameidFormat !== expectedFormat) {
    throw new LoginRefusal('name_id', `The NameID has the format ${nameidFormat}, not ${expectedFormat}.`);
  }
  return { nameId, nameidFormat, nameQualifier, spNameQualifier };
}
