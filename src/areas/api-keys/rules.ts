// The limits of new API keys. Pure.

import { everyRight, impliedScopes, type KeyScope } from '../../domain/access/key-scopes.ts';
import { SallyportError } from '../../domain/errors.ts';
import { formatTimestamp } from '../../domain/values/time.ts';

/** What a key may do, and until when. */
export interface Rights {
  readonly scopes: readonly KeyScope[];
  /** Null if it never expires. */
  readonly expiresAt: Date | null;
}

/** All rights, without expiry. */
export const unlimited: Rights = { scopes: everyRight, expiresAt: null };

/** Throws FORBIDDEN for a key with more rights or a later expiry than its maker. */
export function refuseStronger({ scopes, expiresAt }: Rights, maker: Rights): void {
  const had = impliedScopes(maker.scopes);
  const missing = scopes.filter((scope) => !had.has(scope));
  if (missing.length > 0) {
    throw forbidden('scopes', `must be within those of the key that makes it, which lacks ${missing.join(', ')}.`);
  }
  if (maker.expiresAt !== null && (expiresAt === null || expiresAt > maker.expiresAt)) {
    const end = formatTimestamp(maker.expiresAt);
    throw forbidden('expiresAt', `must not be later than that of the key that makes it, ${end}.`);
  }
}

function forbidden(field: string, message: string): SallyportError {
  return new SallyportError('FORBIDDEN', message, { field });
}
