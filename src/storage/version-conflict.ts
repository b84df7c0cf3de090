// What a change says of the version that it is made for, and what becomes of one that is made for another.

import { SallyportError } from '../domain/errors.ts';

/** The version that a change is made for; null and undefined for whatever there is. */
export type ExpectedVersion = number | null | undefined;

/** Makes the error for a change that expects another version than the object has. */
export function versionConflict(version: number): SallyportError {
  return new SallyportError(
    'VERSION_CONFLICT',
    `The object has changed; it is at version ${version}. Read it again and retry the change.`,
  );
}

/** Tells whether a change failed because of the version that it expects. */
export function isVersionConflict(error: unknown): boolean {
  return error instanceof SallyportError && error.code === 'VERSION_CONFLICT';
}
