// The ID tokens of sessions, which tell a provider whose session to end. They name a person, so they are sealed.

import { idTokenCharactersMax } from '../../domain/gate/login.ts';
import { ownerOf } from '../../storage/keys/secrets.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';

type Keys = Pick<AccountView, 'secrets'>;

// A derived key, because each login seals one: see `Secrets.derive`.
const keyOf = ({ secrets }: Keys) => secrets.derive('ID tokens');

/** Seals the ID token of a login at a route; null if it is longer than what is kept. */
export function sealIdToken(keys: Keys, routeId: string, idToken: string): Uint8Array<ArrayBuffer> | null {
  if (idToken.length > idTokenCharactersMax) return null;
  return keyOf(keys).seal(Buffer.from(idToken), ownerOf('OidcModule', routeId));
}

/** Opens an ID token; null if it was sealed under a secret key that is gone. A logout goes on without it. */
export function openIdToken(keys: Keys, routeId: string, sealed: Uint8Array): string | null {
  try {
    return keyOf(keys).open(sealed, ownerOf('OidcModule', routeId)).toString();
  } catch {
    return null;
  }
}
