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

/** Most edges, and most routes, that are counted as users of a backend. */
const usersMax = 100;

/**
 * Deletes a tunnel-group backend. Throws as `collection.remove`, and IN_USE if an edge or a route uses it.
 *
 * @param rights of the caller, who is not told the names of edges and routes without the right to read them
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
      // Otherwise, nothing uses it any more.
      throw users.every(({ found }) => found.length === 0) ? error : inUse(users, rights);
    }
  }, isMissingReference);
}

interface Users {
  readonly noun: 'TLS edge' | 'route';
  readonly scope: 'tls-edges' | 'https-edges';
  /** At most `usersMax`. */
  readonly found: readonly Nameable[];
}

async function usersOf(scope: AccountScope, backendId: string): Promise<Users[]> {
  const where = { backendId };
  const edges = await scope.db.tlsBackendModule.findMany({
    where,
    orderBy: { edgeId: 'asc' },
    select: { edge: { select: { id: true, description: true, hostports: true } } },
    take: usersMax,
  });
  const routes = await scope.db.httpsBackendModule.findMany({
    where,
    orderBy: { routeId: 'asc' },
    select: { route: { select: { id: true, description: true, match: true } } },
    take: usersMax,
  });
  return [
    {
      noun: 'TLS edge',
      scope: 'tls-edges',
      found: edges.map(({ edge }) => ({ ...edge, hostports: readTextList(edge.hostports) })),
    },
    { noun: 'route', scope: 'https-edges', found: routes.map(({ route }) => route) },
  ];
}

/** Creates the error for a backend in use. Only those with the right to read them are told the names. */
function inUse(users: readonly Users[], rights: ReadonlySet<KeyScope>): SallyportError {
  const using = users.filter(({ found }) => found.length > 0);
  const parts = using.map(({ noun, scope, found }) => {
    const count = found.length === usersMax ? `at least ${usersMax} ${noun}s` : counted(found.length, noun);
    return rights.has(`${scope}:read`) ? `${count}: ${listed(found, called)}` : `${count}, which this key may not read`;
  });
  const isReadable = using.every(({ scope }) => rights.has(`${scope}:read`));
  const remedy = isReadable
    ? 'Switch them to another backend or delete their backend module.'
    : `A key with ${using.map(({ scope }) => `"${scope}:write"`).join(' and ')} can change that.`;
  return new SallyportError('IN_USE', `The backend is used by ${parts.join(', and by ')}. ${remedy}`);
}
