// Why a login is refused: codes for the log, and a sentence for the person who tried to log in. Pure.

/** Every reason, worded for a user who cannot see the response but can contact the administrator. */
export const refusalReasons = {
  malformed: 'The response of the identity provider cannot be read.',
  too_large: 'The response of the identity provider is too large.',
  status: 'The identity provider did not log you in.',
  encrypted:
    'The response of the identity provider has encrypted attributes, which are not supported. Have it encrypt the assertion as a ' +
    'whole, or nothing; the connection is encrypted already.',
  no_assertion: 'The response of the identity provider says nothing about who you are.',
  several_assertions: 'The response of the identity provider has more than one assertion.',
  weak_algorithm:
    'The response of the identity provider is signed by an algorithm that is not secure. Sign with SHA-256.',
  // The only one for encryption as well, so that nobody learns from it what a key decrypts.
  signature:
    'The response of the identity provider is not signed by a key in its metadata, or is encrypted in a way that cannot be read ' +
    'here. Sign the assertion or the response, and renew the metadata on both sides after a change of keys.',
  issuer: 'The response comes from another identity provider.',
  destination: 'The response was meant for another address.',
  audience: 'The response was meant for another application.',
  confirmation: 'The response cannot be used to log in with a browser here.',
  in_response_to: 'The response does not answer your login. Log in again.',
  unsolicited: 'The identity provider may not start a login here. Begin at the application.',
  not_yet_valid: 'The response is not valid yet. The clock of the identity provider is ahead, or ours is behind.',
  expired: 'The response has expired. Log in again.',
  name_id: 'The identity provider named you in another way than is expected here.',
  no_authentication: 'The identity provider did not say how you logged in.',
  not_fresh: 'You must enter your credentials again, but the identity provider did not ask for them. Log in again.',
  logged_out: 'You have been logged out meanwhile. Log in again.',
  replayed: 'The response has been used before. Log in again.',
  disabled: 'Logins are turned off here.',
  no_request: 'The identity provider takes no requests, so that a login can only begin there.',
  state: 'Your login has taken too long. Go back to the page that you wanted to see.',
  host: 'The page that you wanted to see is not served here any more.',
  relay_state: 'The identity provider wants to send you to a page that is not served here.',
  email_unverified:
    'The provider does not say that your e-mail address is verified. Have it verified there, or ask the administrator.',
  email_domain: 'Your e-mail address is not of a domain that is let in here.',
  no_client_secret: 'The secret of this application is missing. The administrator must enter it again.',
  client_refused:
    'The provider does not let this application log anybody in. The administrator must check its settings.',
  provider: 'The provider cannot be asked at the moment. Try again later.',
  metadata_expired: 'What is known here about the identity provider has expired. Its metadata must be renewed.',
} as const;
export type RefusalReason = keyof typeof refusalReasons;

/** A login that fails. The message says what is wrong, for the log. */
export class LoginRefusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, detail: string) {
    super(detail);
    this.name = 'LoginRefusal';
    this.reason = reason;
  }
}
