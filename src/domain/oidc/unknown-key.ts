// The refusal after which a login may begin anew by itself. Pure.

import { LoginRefusal } from '../saml/refusal.ts';

/** The key that signed a token is not among those of the provider that are known here. They are fetched anew for the next login. */
export class UnknownKey extends LoginRefusal {
  /** Whether a new login may be begun by itself: not if one has been just now. */
  readonly mayBeginAgain: boolean;

  constructor(mayBeginAgain: boolean) {
    super('signature', 'The ID token is signed by a key that the provider does not publish.');
    this.mayBeginAgain = mayBeginAgain;
  }
}
