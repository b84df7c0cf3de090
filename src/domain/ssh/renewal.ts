// When a certificate may be renewed, and how long the renewal is valid. Pure.

import { dayMs, floorToSecond, lastMs } from '../time.ts';
import type { Validity } from './host-certificate.ts';

/** Shortest validity of a certificate that a host can renew by itself, in seconds: shorter ones would let it fill the database. */
export const renewableSecondsMin = 60;

/** Returns whether a certificate's validity is too short for a host to renew it by itself. */
export function isTooShort({ validAfter, validUntil }: Validity): boolean {
  return validUntil.getTime() - validAfter.getTime() < renewableSecondsMin * 1000;
}

/** Returns when a certificate becomes renewable: when a third of its validity is left, as with ACME clients. */
export function renewableFrom({ validAfter, validUntil }: Validity): Date {
  const thirdMs = Math.floor((validUntil.getTime() - validAfter.getTime()) / 3_000) * 1000;
  return new Date(validUntil.getTime() - thirdMs);
}

/**
 * Returns the moment from which a certificate may no longer be renewed.
 *
 * @param graceDays days after the certificate expires
 */
export function renewableUntil({ validUntil }: Validity, graceDays: number): Date {
  return new Date(validUntil.getTime() + graceDays * dayMs);
}

/** Returns the validity of a renewal: as long as the certificate's, from now on, but never past the last time that one can hold. */
export function renewedValidity({ validAfter, validUntil }: Validity, now: Date): Validity {
  const start = floorToSecond(now);
  const endMs = start.getTime() + validUntil.getTime() - validAfter.getTime();
  return { validAfter: start, validUntil: floorToSecond(new Date(Math.min(endMs, lastMs))) };
}
