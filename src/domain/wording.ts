// Formats numbers, lists, errors and the names of objects for people. Pure.

import type { KeyScope } from './access/key-scopes.ts';

/** Most items that a list names; the rest are counted. */
export const namedMax = 3;

/** Formats a count with its noun: `1 key`, `2 keys`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats a list that names only its first items. */
export function listed<T>(things: readonly T[], name: (thing: T) => string): string {
  const named = things.slice(0, namedMax).map(name).join(', ');
  return things.length > namedMax ? `${named} and ${things.length - namedMax} more` : named;
}

/** Returns the message of an error. Accepts any value, because anything can be thrown. */
export function messageOf(error: unknown): string {
  // Node's error when no address of a host accepts a connection says nothing by itself.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** Returns the message of an error as a sentence of its own: those of other programs begin and end in any way. */
export function sentenceOf(error: unknown): string {
  const message = messageOf(error).replace(/\.?$/, '.');
  return message.charAt(0).toUpperCase() + message.slice(1);
}

/** What messages name an object by. */
export interface Nameable {
  readonly id: string;
  readonly description: string;
  readonly hostports?: readonly string[];
  readonly principals?: readonly string[];
  readonly match?: string;
  readonly cidr?: string;
  readonly address?: string;
}

/**
 * Returns how messages name an object, as the dashboard does: by its description, else its first host, principal, path or range. Only an
 * object without any of these is named by its id.
 */
export function called({ id, description, hostports, principals, match, cidr, address }: Nameable): string {
  const name = description || hostports?.[0] || principals?.[0] || match || cidr || address;
  return name === undefined ? `without description (${id})` : `"${name}"`;
}

/** Returns how messages name IP restrictions to who has some rights: by their ids if these do not include to read them. */
export function restrictionNamesFor(rights: ReadonlySet<KeyScope>): (restriction: Nameable) => string {
  return rights.has('ip-restrictions:read') ? called : ({ id }) => id;
}

/** Returns a sentence with its full stop. */
export function ended(sentence: string): string {
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}
