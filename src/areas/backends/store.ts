// Tunnel-group backends in the database.

import { SallyportError } from '../../domain/errors.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import { isMissingReference } from '../../storage/errors.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import type { ExpectedVersion, Row, Selection } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import { writeLabels } from './rules.ts';

export const tunnelGroupBackends = collectionOf('TunnelGroupBackend');

/** Creates a tunnel-group backend. Throws INVALID_INPUT. */
export async function createTunnelGroupBackend(
  scope: AccountScope,
  input: Notes & { labels?: unknown },
  selection?: Selection,
): Promise<Row<'TunnelGroupBackend'>> {
  const columns = { labels: writeLabels(input.labels ?? {}), ...notesForCreate(input) };
  return tunnelGroupBackends.create(scope, columns, { selection });
}

/** Changes a tunnel-group backend; null keeps the current labels. Throws INVALID_INPUT, and as `collection.update`. */
export async function updateTunnelGroupBackend(
  scope: AccountScope,
  input: Notes & { id: string; labels?: unknown; expectedVersion?: ExpectedVersion },
  selection?: Selection,
): Promise<Row<'TunnelGroupBackend'>> {
  const change = {
    ...(input.labels == null ? {} : { labels: writeLabels(input.labels) }),
    ...notesForUpdate(input),
  };
  return tunnelGroupBackends.update(scope, input.id, change, input.expectedVersion, { selection });
}

/** Number of edges that use a backend named in an error. */
const usersShown = 10;

/** Deletes a tunnel-group backend. Throws as `collection.remove`, and IN_USE if an edge uses it. */
export async function deleteTunnelGroupBackend(
  scope: AccountScope,
  id: string,
  expectedVersion: ExpectedVersion,
): Promise<void> {
  await unlessOvertaken(async () => {
    try {
      await tunnelGroupBackends.remove(scope, id, expectedVersion);
    } catch (error) {
      // The foreign key decides, so that an edge that starts using the backend at this moment is not left without one.
      if (!isMissingReference(error)) throw error;
      const users = await usersOf(scope, id);
      // Otherwise, no edge uses it any more.
      throw users.length === 0 ? error : inUse(users);
    }
  }, isMissingReference);
}

async function usersOf(scope: AccountScope, backendId: string): Promise<string[]> {
  const modules = await scope.db.tlsBackendModule.findMany({
    where: { backendId },
    orderBy: { edgeId: 'asc' },
    select: { edgeId: true },
    take: usersShown + 1,
  });
  return modules.map(({ edgeId }) => edgeId);
}

function inUse(users: readonly string[]): SallyportError {
  const shown = users.slice(0, usersShown).join(', ');
  const others = users.length > usersShown ? ' and others' : '';
  return new SallyportError(
    'IN_USE',
    `The backend is used by ${shown}${others}. Switch them to another backend or delete their backend module.`,
  );
}
