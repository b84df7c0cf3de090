// Calls that wait for a second person: what tells one from another, what is shown of them, and what has become of them. Pure.

import { hashOf } from '../../domain/values/hash.ts';
import { isJsonObject } from '../../domain/values/json.ts';
import { truncateText } from '../../domain/values/text.ts';
import { counted } from '../../domain/wording.ts';

/** How long a request waits for an approval, and an approval for its use, in milliseconds: 15 minutes. */
export const waitingMs = 15 * 60_000;
/** Most requests that wait at once in an account, and those of one person. */
export const waitingMax = 100;
export const waitingOfPersonMax = 20;
/** Most bytes of the input that are shown to whoever approves. */
const inputBytesMax = 8_192;

/** What is stored of what has become of a request. */
export const storedStates = ['open', 'approved', 'refused', 'withdrawn', 'used'] as const;
/** What has become of a request: one that is over in time has expired. */
export const states = [...storedStates, 'expired'] as const;
export type ApprovalState = (typeof states)[number];

/** Returns what has become of a request. */
export function stateOf(state: (typeof storedStates)[number], expiresAt: Date, now: Date): ApprovalState {
  return (state === 'open' || state === 'approved') && expiresAt <= now ? 'expired' : state;
}

/**
 * Returns what tells a call from any other, as a hash: another person, another mutation or another value of its input is another call.
 * What the client calls its request is not part of it.
 */
export function hashOfCall(personId: string, mutation: string, input: unknown): string {
  return hashOf(`${personId} ${mutation} ${textOf(input, () => false)}`);
}

/**
 * Names of fields whose values are shown to nobody. Inputs have their secrets in fields with such names, as text; an object is one that
 * a document calls so.
 */
const secret = /secret|password|token|privateKey/i;

/**
 * Writes the input of a call for whoever approves it, without secrets. Of one that is too long, they see the beginning, and the length
 * and hash by which two people can tell that they speak of the same.
 */
export function shownInput(input: unknown): string {
  const text = textOf(withoutParts(input), (name) => secret.test(name));
  const bytes = Buffer.byteLength(text);
  if (bytes <= inputBytesMax) return text;
  return JSON.stringify({ beginning: truncateText(text, inputBytesMax), bytes, sha256: hashOf(text) });
}

/**
 * Leaves out a document that comes in parts: each is the JSON text of some of its objects, in which secrets are not found by their
 * names. What it does is shown beside it.
 */
function withoutParts(input: unknown): unknown {
  if (!isJsonObject(input) || !Array.isArray(input.document)) return input;
  return { ...input, document: `(in ${counted(input.document.length, 'part')})` };
}

/**
 * Writes a value as JSON, the fields of its objects in the order of their names.
 *
 * @param isHidden says of a field whether its value is left out
 */
function textOf(value: unknown, isHidden: (name: string) => boolean): string {
  return JSON.stringify(value ?? null, (_name, part: unknown) => {
    if (typeof part === 'bigint') return part.toString();
    if (!isJsonObject(part)) return part;
    // Only of the input itself: deeper, somebody else's JSON has fields of any name.
    const names = Object.keys(part).filter((name) => part !== value || name !== 'clientMutationId');
    const shown = (name: string, field: unknown) =>
      field != null && !isJsonObject(field) && isHidden(name) ? '(hidden)' : field;
    return Object.fromEntries(names.sort().map((name) => [name, shown(name, part[name])]));
  });
}
