// The limits of new API keys. Pure.

import { everyRight, impliedScopes, type KeyScope } from '../../domain/access/key-scopes.ts';
import type { PassRight } from '../../domain/access/pass-right.ts';
import { invalid, SallyportError } from '../../domain/errors.ts';
import { checkText } from '../../domain/values/text.ts';
import { formatTimestamp } from '../../domain/values/time.ts';

/** What a key may do, and until when. */
export interface Rights {
  readonly scopes: readonly KeyScope[];
  /** Null if it never expires. */
  readonly expiresAt: Date | null;
  /** How a program with it passes the gate; absent without the scope `gate:pass`. */
  readonly pass?: PassRight | undefined;
}

/** Maximum number of groups of a program; enforced by the schema. */
export const passGroupsMax = 50;
/** Maximum length of a group name, in bytes of UTF-8. */
const passGroupBytesMax = 256;

/** All rights, without expiry. */
export const unlimited: Rights = { scopes: everyRight, expiresAt: null };

/** Checks the groups of a program, and returns each once. Throws INVALID_INPUT. */
export function checkPassGroups(groups: readonly string[]): string[] {
  for (const [index, group] of groups.entries()) {
    const field = `passGroups[${index}]`;
    if (group.trim() === '') throw invalid(field, 'must not be empty. Remove the entry.');
    checkText(field, group, passGroupBytesMax);
  }
  return [...new Set(groups)];
}

/** Throws FORBIDDEN for a key with more rights or a later expiry than its maker. */
export function refuseStronger({ scopes, expiresAt, pass }: Rights, maker: Rights): void {
  const had = impliedScopes(maker.scopes);
  const missing = scopes.filter((scope) => !had.has(scope));
  if (missing.length > 0) {
    throw forbidden('scopes', `must be within those of the key that makes it, which lacks ${missing.join(', ')}.`);
  }
  if (maker.expiresAt !== null && (expiresAt === null || expiresAt > maker.expiresAt)) {
    const end = formatTimestamp(maker.expiresAt);
    throw forbidden('expiresAt', `must not be later than that of the key that makes it, ${end}.`);
  }
  // Who may change edges decides who passes them. A program itself can give away only what it has.
  if (pass !== undefined && !had.has('https-edges:write')) refuseFurther(pass, maker.pass ?? { groups: [], at: '' });
}

function refuseFurther({ groups, at }: PassRight, maker: PassRight): void {
  const beyond = groups.find((group) => !maker.groups.includes(group));
  if (beyond !== undefined) {
    throw forbidden(
      'passGroups',
      `must be within those of the key that makes it, which lacks ${JSON.stringify(beyond)}.`,
    );
  }
  if (maker.at !== null && at !== maker.at) {
    throw forbidden('passAt', 'must be what the key that makes it is limited to.');
  }
}

/**
 * Returns the person whose key a new one is; null for a key of the account. That outlives the person who makes it, so it takes all
 * rights.
 *
 * @throws INVALID_INPUT where no person makes it, FORBIDDEN
 */
export function ownerOfNew(
  personal: boolean | null | undefined,
  { personId, scopes }: Pick<Rights, 'scopes'> & { readonly personId?: string | undefined },
): string | null {
  if (personId === undefined) {
    if (personal === true) throw invalid('personal', 'must not be true: no person makes the key.');
    return null;
  }
  if (personal !== false) return personId;
  if (impliedScopes(scopes).has('write')) return null;
  throw forbidden('personal', 'must not be false: only who has all rights makes keys that outlive them.');
}

function forbidden(field: string, message: string): SallyportError {
  return new SallyportError('FORBIDDEN', message, { field });
}
