// Tunnel-group backends in the database.

import type { KeyScope } from '../../domain/access/key-scopes.ts';
import { SallyportError } from '../../domain/errors.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import { called, counted, listed, type Nameable } from '../../domain/wording.ts';
import { isMissingReference } from '../../storage/errors.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import type { ExpectedVersion, Row } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import { checkTargets, type TargetTls, writeLabels } from './rules.ts';

export const tunnelGroupBackends = collectionOf('TunnelGroupBackend');

/** What a create or an update sets; null or absent is the default on a create, and keeps the value on an update. */
interface BackendInput extends Notes {
  readonly labels?: unknown;
  readonly targets?: readonly string[] | null | undefined;
  readonly tls?: TargetTls | null | undefined;
}

/** Creates a tunnel-group backend. Throws INVALID_INPUT. */
export async function createTunnelGroupBackend(
  scope: AccountScope,
  input: BackendInput,
): Promise<Row<'TunnelGroupBackend'>> {
  return tunnelGroupBackends.create(scope, columnsForCreate(input));
}

/** Returns the columns of a new backend. Throws INVALID_INPUT. */
export function columnsForCreate(input: BackendInput) {
  return {
    labels: writeLabels(input.labels ?? {}),
    targets: checkTargets(input.targets ?? []),
    tls: input.tls ?? ('passthrough' satisfies TargetTls),
    ...notesForCreate(input),
  };
}

/** Changes a tunnel-group backend. Throws INVALID_INPUT, and as `collection.update`. */
export async function updateTunnelGroupBackend(
  scope: AccountScope,
  input: BackendInput & { id: string; expectedVersion?: ExpectedVersion },
): Promise<Row<'TunnelGroupBackend'>> {
  const change = {
    ...(input.labels == null ? {} : { labels: writeLabels(input.labels) }),
    ...(input.targets == null ? {} : { targets: checkTargets(input.targets) }),
    ...(input.tls == null ? {} : { tls: input.tls }),
    ...notesForUpdate(input),
  };
  return tunnelGroupBackends.update(scope, input.id, change, input.expectedVersion);
}

/** Most edges that are counted as users of a backend. */
const usersMax = 100;

/**
 * Deletes a tunnel-group backend. Throws as `collection.remove`, and IN_USE if an edge uses it.
 *
 * @param rights of the caller, who is not told the names of edges without the right to read them
 */
export async function deleteTunnelGroupBackend(
  scope: AccountScope,
  id: string,
  expectedVersion: ExpectedVersion,
  rights: ReadonlySet<KeyScope>,
): Promise<void> {
  await unlessOvertaken(async () => {
    try {
      await tunnelGroupBackends.remove(scope, id, expectedVersion);
    } catch (error) {
      // The foreign key decides, so that an edge that starts using the backend at this moment is not left without one.
      if (!isMissingReference(error)) throw error;
      const users = await usersOf(scope, id);
      // Otherwise, no edge uses it any more.
      throw users.length === 0 ? error : inUse(users, rights.has('tls-edges:read'));
    }
  }, isMissingReference);
}

async function usersOf(scope: AccountScope, backendId: string): Promise<Nameable[]> {
  const modules = await scope.db.tlsBackendModule.findMany({
    where: { backendId },
    orderBy: { edgeId: 'asc' },
    select: { edge: { select: { id: true, description: true, hostports: true } } },
    take: usersMax,
  });
  return modules.map(({ edge }) => ({ ...edge, hostports: readTextList(edge.hostports) }));
}

function inUse(users: readonly Nameable[], mayReadEdges: boolean): SallyportError {
  const count = users.length === usersMax ? `at least ${usersMax} TLS edges` : counted(users.length, 'TLS edge');
  const message = mayReadEdges
    ? `The backend is used by ${count}: ${listed(users, called)}. Switch them to another backend or delete their backend module.`
    : `The backend is used by ${count}, which this key may not read. A key with "tls-edges:write" can change that.`;
  return new SallyportError('IN_USE', message);
}
