// The errors of idempotency keys, which are found before a request is looked up and when it is. Pure.

import { SallyportError } from './errors.ts';

/** Makes the error for a request that is being answered already. */
export function keyInUse(): SallyportError {
  return new SallyportError(
    'IDEMPOTENCY_KEY_IN_USE',
    'A request with this Idempotency-Key is being answered. Repeat this one in a few seconds to get the same answer.',
  );
}

/** Makes the error for a key that came with another request. */
export function keyReused(): SallyportError {
  return new SallyportError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was sent with another request. Send a new key with each new request.',
  );
}
