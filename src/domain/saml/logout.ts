// Logout messages, from and to identity providers (SAML core 3.7, profiles 4.4). Pure: the clock is an argument.

import type { Element } from '@xmldom/xmldom';
import { formatTimestamp } from '../values/time.ts';
import { type Decryption, nameIdOf } from './decryption.ts';
import { elementsOf, isNamed, onlyChild, textOf } from './elements.ts';
import type { LoginProvider } from './login-provider.ts';
import { readStatus } from './message.ts';
import { nameCharactersMax, namespaces, successStatus } from './namespaces.ts';
import { LoginRefusal } from './refusal.ts';
import type { ServiceProviderUrls } from './service-provider.ts';
import { type Clock, checkBegun, checkNotOver, clockSkewMsMax, instantIn, instantOf } from './times.ts';
import { type Message, type MessageHead, writeMessage } from './written-messages.ts';

/** How long a logout message can be used, in milliseconds; it only passes through the browser. */
export const logoutMsMax = 300_000;
/** Most sessions that a request may name. */
const sessionIndexesMax = 100;

/** The name of a user as the identity provider gave it; logout requests must repeat it. */
export interface NamedUser {
  readonly nameId: string;
  readonly nameidFormat: string;
  readonly nameQualifier: string | null;
  readonly spNameQualifier: string | null;
  /** The session at the identity provider; null if it named none. */
  readonly sessionIndex: string | null;
}

/** Writes a logout request. */
export function writeLogoutRequest(head: MessageHead, user: NamedUser): Message {
  const { nameId, nameidFormat, nameQualifier, spNameQualifier, sessionIndex } = user;
  const attributes = { NameQualifier: nameQualifier, SPNameQualifier: spNameQualifier, Format: nameidFormat };
  const end = formatTimestamp(new Date(head.sentAt.getTime() + logoutMsMax));
  const xml = writeMessage(
    'LogoutRequest',
    head,
    { NotOnOrAfter: end, Reason: 'urn:oasis:names:tc:SAML:2.0:logout:user' },
    [
      { name: 'saml:NameID', attributes, content: nameId },
      ...(sessionIndex === null ? [] : [{ name: 'samlp:SessionIndex', content: sessionIndex } as const]),
    ],
  );
  return { parameter: 'SAMLRequest', xml, id: head.id };
}

/** Writes the response to a logout request, with the status of success. */
export function writeLogoutResponse(head: MessageHead, inResponseTo: string): Message {
  const code = { name: 'samlp:StatusCode', attributes: { Value: successStatus } } as const;
  const xml = writeMessage('LogoutResponse', head, { InResponseTo: inResponseTo }, [
    { name: 'samlp:Status', content: [code] },
  ]);
  return { parameter: 'SAMLResponse', xml, id: head.id };
}

/** What a logout message is checked against. */
export interface ExpectedLogout {
  readonly provider: LoginProvider;
  readonly urls: ServiceProviderUrls;
  readonly decryption: Decryption;
}

export interface LogoutRequest {
  readonly id: string;
  readonly nameId: string;
  /** The identity provider's sessions to end; empty for all. */
  readonly sessionIndexes: readonly string[];
  /** When the identity provider issued it, by its own clock. */
  readonly issuedAt: Date;
  /** From then on the request is refused anyway. */
  readonly usableUntil: Date;
}

/**
 * Checks a logout request. The caller must have verified the signature, and `root` must come from the signed content.
 *
 * @throws LoginRefusal
 */
export function checkLogoutRequest(root: Element, expected: ExpectedLogout, clock: Clock): LogoutRequest {
  const { id, issuedAt, usableUntil } = checkHead(root, 'LogoutRequest', expected, clock);
  const end = instantIn(root, 'NotOnOrAfter');
  if (end !== null) checkNotOver(end, clock, 'The request is');
  const nameId = textOf(nameIdOf(root, expected.decryption)).trim();
  if (nameId === '') throw new LoginRefusal('name_id', 'The NameID is empty.');
  const sessionIndexes = elementsOf(root)
    .filter((element) => isNamed(element, namespaces.protocol, 'SessionIndex'))
    .map((element) => textOf(element).trim());
  if (sessionIndexes.length > sessionIndexesMax) {
    throw new LoginRefusal('too_large', `The request names more than ${sessionIndexesMax} sessions.`);
  }
  return { id, nameId, sessionIndexes, issuedAt, usableUntil };
}

/**
 * Checks the response to our logout request. The caller must have verified the signature.
 *
 * @param isOurs returns whether an id is that of a request that we have sent
 * @throws LoginRefusal, with the reason `status` if the user is not logged out everywhere
 */
export function checkLogoutResponse(
  root: Element,
  expected: ExpectedLogout,
  isOurs: (id: string) => boolean,
  clock: Clock,
): void {
  checkHead(root, 'LogoutResponse', expected, clock);
  if (!isOurs(root.getAttribute('InResponseTo') ?? '')) {
    throw new LoginRefusal('in_response_to', 'The LogoutResponse answers another request, or one that is over.');
  }
  const { codes, description } = readStatus(root);
  // A second code after success means that some participants did not answer: PartialLogout (SAML core 3.7.3.2).
  if (codes[0] !== successStatus || codes.length > 1) {
    throw new LoginRefusal('status', `The status is ${description}.`);
  }
}

/** Checks the common part of requests and responses. */
function checkHead(root: Element, name: string, { provider, urls }: ExpectedLogout, clock: Clock) {
  if (!isNamed(root, namespaces.protocol, name)) throw new LoginRefusal('malformed', `The message is no ${name}.`);
  if (root.getAttribute('Version') !== '2.0') throw new LoginRefusal('malformed', 'The version is not 2.0.');
  const id = root.getAttribute('ID') ?? '';
  if (id === '' || id.length > nameCharactersMax) throw new LoginRefusal('malformed', 'The message has no usable ID.');
  const issuedAt = instantOf(root, 'IssueInstant');
  checkBegun(issuedAt, clock, 'The message was issued');
  const end = new Date(issuedAt.getTime() + logoutMsMax);
  checkNotOver(end, clock, 'A message of this age is');
  if (textOf(onlyChild(root, 'Issuer')).trim() !== provider.entityId) {
    throw new LoginRefusal('issuer', 'The message has another issuer.');
  }
  // SAML bindings 3.4.5.2 and 3.5.5.2: a signed message must have a Destination.
  const destination = root.getAttribute('Destination');
  if (destination !== urls.singleLogout) {
    throw new LoginRefusal('destination', `The message was sent to ${destination ?? 'no destination'}.`);
  }
  return { id, issuedAt, usableUntil: new Date(end.getTime() + clockSkewMsMax) };
}
