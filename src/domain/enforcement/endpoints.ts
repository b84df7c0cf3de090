// What exports say of the IP restrictions of type `endpoints`. Pure.

import { type AddressSet, isEmpty } from '../ip/address-set.ts';
import { endlessMs } from '../ip/rule-end.ts';
import { formatTimestamp } from '../values/time.ts';

/** The addresses that the enforced restrictions of an account let pass. */
export interface AllowedAddresses {
  readonly accountId: string;
  /** Ids of the enforced restrictions, on which `set` is based. */
  readonly enforced: readonly string[];
  /** Ids of the restrictions left out because they only warn. */
  readonly leftOut: readonly string[];
  readonly set: AddressSet;
  /** When the first of the rules ends, which may change `set`, in milliseconds since 1970; `endlessMs` if none does. */
  readonly validUntilMs: number;
}

/** Creates comment lines that say which restrictions count, and until when. Never includes descriptions, which are users' own text. */
export function commentsOn({ enforced, leftOut, set, validUntilMs }: AllowedAddresses): string[] {
  return [
    enforced.length === 0
      ? '# No IP restriction of type endpoints is enforced: everybody is allowed.'
      : `# Enforced: ${enforced.join(', ')}.`,
    ...(isEmpty(set) ? ['# Nobody is allowed.'] : []),
    ...commentOnEnd(validUntilMs),
    ...(leftOut.length === 0 ? [] : [`# Left out, because they only warn: ${leftOut.join(', ')}.`]),
  ];
}

/** Creates the comment line that says until when rules are true; none if none of them ends. */
export function commentOnEnd(validUntilMs: number): string[] {
  if (validUntilMs === endlessMs) return [];
  return [`# True until ${formatTimestamp(new Date(validUntilMs))}, when a rule ends: write it again then.`];
}
