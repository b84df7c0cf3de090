// Checks times from identity providers against our clock, with some leeway. Pure: the clock is an argument.

import type { Element } from '@xmldom/xmldom';
import { parseTimestamp } from '../values/time.ts';
import { LoginRefusal } from './refusal.ts';

/** Our clock, and how far that of an identity provider may differ from it, in milliseconds. */
export interface Clock {
  readonly now: Date;
  readonly skewMs: number;
}

/** The default of the difference, and the largest one that can be configured, in seconds. */
export const clockSkewSeconds = { default: 60, max: 300 };

/** How long after its end a message must be remembered: the setting may be raised at any time. */
export const clockSkewMsMax = clockSkewSeconds.max * 1000;

/** Checks `NotBefore` and `NotOnOrAfter`, if present. Returns the latter, or null. Throws LoginRefusal. */
export function checkTimes(element: Element, clock: Clock, what: string): Date | null {
  const begin = instantIn(element, 'NotBefore');
  const end = instantIn(element, 'NotOnOrAfter');
  if (begin !== null) checkBegun(begin, clock, `${what} is valid`);
  if (end !== null) checkNotOver(end, clock, `${what} is`);
  return end;
}

/** Checks that an instant has been reached. Throws LoginRefusal; `what` starts its message. */
export function checkBegun(begin: Date, { now, skewMs }: Clock, what: string): void {
  if (begin.getTime() - skewMs > now.getTime()) {
    throw new LoginRefusal('not_yet_valid', `${what} from ${begin.toISOString()} on.`);
  }
}

/** Checks that an end has not been reached. Throws LoginRefusal; `what` starts its message. */
export function checkNotOver(end: Date, { now, skewMs }: Clock, what: string): void {
  if (end.getTime() + skewMs <= now.getTime()) {
    throw new LoginRefusal('expired', `${what} over since ${end.toISOString()}.`);
  }
}

/**
 * Parses a time of SAML, which is in UTC (SAML core 1.3.3). Some programs take that for a reason to leave out the zone.
 *
 * @throws INVALID_INPUT as `parseTimestamp`
 */
export function parseInstant(text: string): Date {
  const trimmed = text.trim();
  return parseTimestamp('time', /T\d\d:\d\d:\d\d(?:\.\d+)?$/i.test(trimmed) ? `${trimmed}Z` : trimmed);
}

/** The parts of a duration of XML Schema (3.2.6), in seconds; a year and a month as the shortest that they can be. */
const durationParts = [365 * 86_400, 28 * 86_400, 86_400, 3_600, 60, 1];

/** Parses a duration such as `PT6H` or `P1D`; null if it is none, or a negative one. Seconds, rounded down. */
export function parseDuration(text: string): number | null {
  const pattern =
    /^P(?=.)(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})D)?(?:T(?=.)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.\d+)?S)?)?$/;
  const match = pattern.exec(text.trim());
  if (match === null) return null;
  return durationParts.reduce((sum, seconds, index) => sum + seconds * Number(match[index + 1] ?? 0), 0);
}

/** Parses the instant in an attribute; null if there is none. Throws LoginRefusal if it is not a time. */
export function instantIn(element: Element, name: string): Date | null {
  const text = element.getAttribute(name);
  if (text === null) return null;
  try {
    return parseInstant(text);
  } catch {
    throw new LoginRefusal('malformed', `${name} of ${element.localName} is not a time.`);
  }
}

/** Parses the instant in a required attribute. Throws LoginRefusal. */
export function instantOf(element: Element, name: string): Date {
  const instant = instantIn(element, name);
  if (instant === null) throw new LoginRefusal('malformed', `${element.localName} has no ${name}.`);
  return instant;
}
