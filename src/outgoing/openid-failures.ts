// What goes wrong between us and an OpenID provider, as refusals of logins with their reasons.

import { SallyportError } from '../domain/errors.ts';
import { LoginRefusal } from '../domain/saml/refusal.ts';

/**
 * Says why a request to a provider failed, as a refusal.
 *
 * @throws LoginRefusal; UNAVAILABLE if too many requests wait; and what openid-client does not explain
 */
export async function explaining<T>(work: Promise<T>, unknownKey?: () => LoginRefusal): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof LoginRefusal) throw error;
    const outage = causesOf(error).find((cause) => cause instanceof SallyportError);
    if (outage !== undefined) {
      if (outage.code === 'UNAVAILABLE') throw outage;
      throw new LoginRefusal('provider', outage.message);
    }
    const refusal = refusalOfClient(error);
    if (refusal !== null) throw new LoginRefusal('client_refused', `The provider refuses the client (${refusal}).`);
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'OAUTH_KEY_SELECTION_FAILED' && unknownKey !== undefined) throw unknownKey();
    if (code === '') throw error;
    const claim = claimOf(error);
    const said = causesOf(error).flatMap((cause) => (cause instanceof Error ? cause.message : []));
    const detail = `${said.join(': ')} (${[code, claim].filter((part) => part !== null).join(', ')})`;
    const isSignature = said.some((message) => /JWT signature|JWS alg|"alg"/.test(message));
    throw new LoginRefusal(isSignature ? 'signature' : (reasonOfClaim[claim ?? ''] ?? 'malformed'), detail);
  }
}

/** Returns by which code a provider does not know the client, or not by its secret (RFC 6749, section 5.2); null if it does. */
function refusalOfClient(error: unknown): string | null {
  const code = error instanceof Error && 'error' in error ? String(error.error) : '';
  return /^(?:invalid|unauthorized)_client$/.test(code) ? code : null;
}

const reasonOfClaim: Readonly<Record<string, 'issuer' | 'audience' | 'expired' | 'in_response_to' | 'name_id'>> = {
  iss: 'issuer',
  aud: 'audience',
  azp: 'audience',
  exp: 'expired',
  nonce: 'in_response_to',
  sub: 'name_id',
};

/** Returns the claim that an error of openid-client is about; null if it names none. */
function claimOf(error: unknown): string | null {
  for (const cause of causesOf(error)) {
    if (typeof cause === 'object' && cause !== null && 'claim' in cause) return String(cause.claim);
  }
  return null;
}

/** Returns an error and what caused it, and so on, as far as that leads. */
function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let at = error; at != null && causes.length < 5; ) {
    causes.push(at);
    at = typeof at === 'object' && 'cause' in at ? at.cause : null;
  }
  return causes;
}
