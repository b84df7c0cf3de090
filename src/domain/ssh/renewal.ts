// When a certificate may be renewed, and for how long. Pure.

import { dayMs, floorToSecond, lastMs } from '../time.ts';
import type { Validity } from './host-certificate.ts';

/** Shortest validity of a certificate that a host can renew by itself, in seconds: a shorter one would let it fill the database. */
export const renewableSecondsMin = 60;

/** Tells whether a certificate is valid for less time than one that a host can renew by itself. */
export function isTooShort({ validAfter, validUntil }: Validity): boolean {
  return validUntil.getTime() - validAfter.getTime() < renewableSecondsMin * 1000;
}

/** Gives the moment from which a certificate may be renewed: when a third of its validity is left, as ACME clients have it. */
export function renewableFrom({ validAfter, validUntil }: Validity): Date {
  const thirdMs = Math.floor((validUntil.getTime() - validAfter.getTime()) / 3_000) * 1000;
  return new Date(validUntil.getTime() - thirdMs);
}

/**
 * Gives the last moment before which a certificate may be renewed.
 *
 * @param graceDays days after its end
 */
export function renewableUntil({ validUntil }: Validity, graceDays: number): Date {
  return new Date(validUntil.getTime() + graceDays * dayMs);
}

/** Gives the validity of the renewal of a certificate: as long, from now on, and never beyond what a certificate can hold. */
export function renewedValidity({ validAfter, validUntil }: Validity, now: Date): Validity {
  const start = floorToSecond(now);
  const endMs = start.getTime() + validUntil.getTime() - validAfter.getTime();
  return { validAfter: start, validUntil: floorToSecond(new Date(Math.min(endMs, lastMs))) };
}
