// When a certificate may be renewed, and how long the renewal is valid. Pure.

import { dayMs, floorToSecond, lastMs } from '../../../domain/values/time.ts';
import type { Validity } from '../certificates/host-certificate.ts';

/** Shortest validity of a certificate that a host can renew by itself, in seconds: shorter ones would let it fill the database. */
export const renewableSecondsMin = 60;

/** Returns whether a certificate's validity is too short for a host to renew it by itself. */
export function isTooShort({ validAfter, validUntil }: Validity): boolean {
  return validUntil.getTime() - validAfter.getTime() < renewableSecondsMin * 1000;
}

/**
 * Returns when a certificate becomes renewable: when a third of its validity is left, as with ACME clients; earlier if its authority
 * has handed over, because clients are about to stop trusting that one.
 *
 * @param handedOverAt when the authority of the certificate handed over; null if it still signs
 */
export function renewableFrom({ validAfter, validUntil }: Validity, handedOverAt: Date | null): Date {
  const thirdMs = Math.floor((validUntil.getTime() - validAfter.getTime()) / 3_000) * 1000;
  const due = validUntil.getTime() - thirdMs;
  return new Date(handedOverAt === null ? due : Math.min(due, handedOverAt.getTime()));
}

/**
 * Returns when a host should renew a certificate: from the time when it is renewable, for a sixth of its validity, after which it
 * is late. A host asks for it, as ACME clients do (RFC 9773), because it cannot know when its authority hands over.
 */
export function suggestedWindow(certificate: Validity, handedOverAt: Date | null): { start: Date; end: Date } {
  const start = renewableFrom(certificate, handedOverAt);
  const sixthMs = (certificate.validUntil.getTime() - certificate.validAfter.getTime()) / 6;
  return { start, end: new Date(start.getTime() + sixthMs) };
}

/**
 * Returns the moment from which a certificate may no longer be renewed.
 *
 * @param graceDays days after the certificate expires
 */
export function renewableUntil({ validUntil }: Validity, graceDays: number): Date {
  return new Date(validUntil.getTime() + graceDays * dayMs);
}

/** Longest time in seconds by which the certificates that hosts ask for begin before now. */
const backdatingSecondsMax = 300;

/**
 * Returns the validity that a renewal asks for: from now on, so that it is as long as the certificate's once it is `backdated`, but
 * never past the last time that a certificate can hold.
 */
export function renewedValidity({ validAfter, validUntil }: Validity, now: Date): Validity {
  const start = floorToSecond(now);
  const seconds = Math.floor((validUntil.getTime() - validAfter.getTime()) / 1000);
  const ahead = Math.max(seconds - backdatingSecondsMax, Math.floor((seconds * 2) / 3));
  const endMs = Math.min(start.getTime() + ahead * 1000, lastMs);
  return { validAfter: start, validUntil: floorToSecond(new Date(endMs)) };
}

/**
 * Has a validity that begins now begin 5 minutes earlier, because the clocks of clients differ, and refuse a certificate that has
 * not begun: otherwise each renewal locks out whoever is a second behind. If the validity is short, it begins at most half of it
 * earlier, so that a renewal, which is as long in all, is not over at once; and never before its authority began.
 */
export function backdated({ validAfter, validUntil }: Validity, authorityBegan: Date): Validity {
  const halfSeconds = Math.floor((validUntil.getTime() - validAfter.getTime()) / 2_000);
  const earlier = validAfter.getTime() - Math.min(backdatingSecondsMax, halfSeconds) * 1000;
  const start = Math.max(earlier, Math.min(floorToSecond(authorityBegan).getTime(), validAfter.getTime()));
  return { validAfter: new Date(start), validUntil };
}
