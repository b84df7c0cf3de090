// The last change of the ranges of a source, as it is stored. Pure.

import type { ListDifference } from '../../domain/ip/range-list.ts';
import { readAs } from '../../domain/values/decode.ts';

export interface LastChange extends ListDifference {
  /** As an RFC 3339 timestamp. */
  readonly at: string;
}

/** Reads the last change of a source; null if there was none. */
export function lastChangeOf({ lastChange }: { readonly lastChange: unknown }): LastChange | null {
  const isChange = (value: unknown): value is LastChange | Record<never, never> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const change = readAs(lastChange, isChange, 'a change of ranges');
  return 'at' in change ? change : null;
}
