// Checks times from identity providers against our clock, with some leeway. Pure: the clock is an argument.

import type { Element } from '@xmldom/xmldom';
import { parseTimestamp } from '../time.ts';
import { LoginRefusal } from './refusal.ts';

/** How far the clock of an identity provider may differ from ours. */
export const clockSkewMs = 60_000;

/** Checks `NotBefore` and `NotOnOrAfter`, if present. Returns the latter, or null. Throws LoginRefusal. */
export function checkTimes(element: Element, now: Date, what: string): Date | null {
  const begin = instantIn(element, 'NotBefore');
  const end = instantIn(element, 'NotOnOrAfter');
  if (begin !== null) checkBegun(begin, now, `${what} is valid`);
  if (end !== null) checkNotOver(end, now, `${what} is`);
  return end;
}

/** Checks that an instant has been reached. Throws LoginRefusal; `what` starts its message. */
export function checkBegun(begin: Date, now: Date, what: string): void {
  if (begin.getTime() - clockSkewMs > now.getTime()) {
    throw new LoginRefusal('not_yet_valid', `${what} from ${begin.toISOString()} on.`);
  }
}

/** Checks that an end has not been reached. Throws LoginRefusal; `what` starts its message. */
export function checkNotOver(end: Date, now: Date, what: string): void {
  if (end.getTime() + clockSkewMs <= now.getTime()) {
    throw new LoginRefusal('expired', `${what} over since ${end.toISOString()}.`);
  }
}

/** Parses the instant in an attribute; null if there is none. Throws LoginRefusal if it is not a time. */
export function instantIn(element: Element, name: string): Date | null {
  const text = element.getAttribute(name);
  if (text === null) return null;
  try {
    return parseTimestamp(name, text);
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
