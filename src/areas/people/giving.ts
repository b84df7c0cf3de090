// Who may give which rights to others. Pure.

import type { KeyScope } from '../../domain/access/key-scopes.ts';
import { widest } from '../../domain/access/key-scopes.ts';
import { SallyportError } from '../../domain/errors.ts';

/**
 * Refuses to give others what one does not have, or to decide about it: the right to change roles would include all others.
 *
 * @param field the input at fault; undefined if there is none
 * @throws FORBIDDEN
 */
export function refuseMore(field: string | undefined, given: readonly KeyScope[], rights: ReadonlySet<KeyScope>): void {
  const missing = widest(given.filter((scope) => !rights.has(scope)));
  if (missing.length === 0) return;
  const message = `is about scopes that you do not have yourself: ${missing.join(', ')}.`;
  if (field !== undefined) throw new SallyportError('FORBIDDEN', message, { field });
  throw new SallyportError('FORBIDDEN', `The change ${message}`);
}
