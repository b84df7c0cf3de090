// The domains of e-mail addresses by which users are let in, whichever protocol vouches for them. Pure.

import { LoginRefusal } from '../saml/refusal.ts';
import { lowerAscii } from '../values/text.ts';

/**
 * Checks that an address is one, and of an allowed domain.
 *
 * @param allowed in lower case; if empty, all are
 * @throws LoginRefusal
 */
export function checkEmailDomain(email: string, allowed: readonly string[]): void {
  const [, domain] = /^[^@]+@([^@]+)$/.exec(email) ?? [];
  if (domain === undefined) throw new LoginRefusal('email_domain', 'The address must have exactly one "@".');
  if (allowed.length > 0 && !allowed.includes(lowerAscii(domain))) {
    throw new LoginRefusal('email_domain', `The domain ${domain} is not authorized.`);
  }
}
