// The version that a change expects its object to have, and the error if it has another.

import { notFound, SallyportError } from '../../domain/errors.ts';
import type { AccountView } from './account-scope.ts';
import type { ResourceModel } from './columns.ts';

/** The version that a change expects; null or undefined to accept any version. */
export type ExpectedVersion = number | null | undefined;

/** Creates the error for a change that expects another version than the object has. */
function versionConflict(version: number): SallyportError {
  return new SallyportError(
    'VERSION_CONFLICT',
    `The object has changed; it is at version ${version}. Read it again and retry the change.`,
  );
}

/** Throws VERSION_CONFLICT if an object does not have the version that a change expects. */
export function expectVersion(expected: ExpectedVersion, version: number): void {
  if (expected != null && expected !== version) throw versionConflict(version);
}

/** Returns whether a change failed because the object has another version than expected. */
export function isVersionConflict(error: unknown): boolean {
  return error instanceof SallyportError && error.code === 'VERSION_CONFLICT';
}

/** Returns the error that explains why a change found no row; null if this object is not the reason. */
export async function whyMissing(
  { rows }: AccountView,
  model: ResourceModel,
  id: string,
  expectedVersion: ExpectedVersion,
): Promise<SallyportError | null> {
  const [found] = await rows.pick(model, ['version'], 'id', [id]);
  if (found === undefined) return notFound();
  if (expectedVersion == null || expectedVersion === found.version) return null;
  return versionConflict(found.version);
}
