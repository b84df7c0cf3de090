// References to backends, in the modules that say where traffic goes. A foreign key keeps the backend as long as one refers to it.

import { type SallyportError, unknownReference } from '../../domain/errors.ts';
import { isMissingReference } from '../errors.ts';
import type { AccountScope } from './account-scope.ts';
import { collectionOf } from './collections.ts';

export const tunnelGroupBackends = collectionOf('TunnelGroupBackend');

/** The settings of a backend module as a client gives them; null and undefined mean the default. */
export interface BackendSettings {
  enabled?: boolean | null | undefined;
  backendId: string;
}

/** All settings of a backend module. */
export interface CheckedBackend {
  readonly enabled: boolean;
  readonly backendId: string;
}

/**
 * Checks the settings of a backend module and applies the defaults.
 *
 * @param field the name of the reference in errors
 * @throws UNKNOWN_REFERENCE for a backend that does not belong to this account
 */
export async function checkBackend(
  scope: AccountScope,
  { enabled, backendId }: BackendSettings,
  field = 'backendId',
): Promise<CheckedBackend> {
  if ((await tunnelGroupBackends.firstUnknown(scope, [backendId])) !== -1) throw unknownBackend(field, backendId);
  return { enabled: enabled ?? true, backendId };
}

/**
 * Awaits a write that sets a backend module, if there is one to set. If it fails because the backend was deleted after the check,
 * throws UNKNOWN_REFERENCE.
 */
export async function namingBackend<T>(
  write: Promise<T>,
  backend: CheckedBackend | null,
  field = 'backendId',
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw isMissingReference(error) && backend !== null ? unknownBackend(field, backend.backendId) : error;
  }
}

function unknownBackend(field: string, backendId: string): SallyportError {
  return unknownReference(field, 'tunnel-group backend', backendId);
}
