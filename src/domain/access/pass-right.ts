// How a program with an API key of the scope `gate:pass` passes the gate. Pure.

import { readTextList } from '../values/decode.ts';
import type { KeyScope } from './key-scopes.ts';

/** The scope of keys that pass the gate. Other scopes allow to make such keys, but none passes in its place. */
export const passScope: KeyScope = 'gate:pass';

/** How a program passes. */
export interface PassRight {
  /** The groups that it counts as a member of. */
  readonly groups: readonly string[];
  /** The HTTPS edge or route that it is limited to; null for all of the account. */
  readonly at: string | null;
}

/** Reads how programs with a stored key pass; undefined if they do not. Throws `Error` as `readTextList`. */
export function readPassRight(scopes: readonly KeyScope[], groups: unknown, at: unknown): PassRight | undefined {
  if (!scopes.includes(passScope)) return undefined;
  return { groups: readTextList(groups), at: at === null ? null : String(at) };
}

/** Returns whether a program passes at a route of an edge. */
export function passesAt({ at }: PassRight, edgeId: string, routeId: string): boolean {
  return at === null || at === edgeId || at === routeId;
}
