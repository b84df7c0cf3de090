// The errors of idempotency keys, shared by the check before a request is looked up and by the lookup. Pure.

import { SallyportError } from '../errors.ts';

/** Creates the error for a request that is already being answered. */
export function keyInUse(): SallyportError {
  return new SallyportError(
    'IDEMPOTENCY_KEY_IN_USE',
    'A request with this Idempotency-Key is being answered. Repeat this one in a few seconds to get the same answer.',
  );
}

/** Creates the error for a key that was used with another request. */
export function keyReused(): SallyportError {
  return new SallyportError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was sent with another request. Send a new key with each new request.',
  );
}
