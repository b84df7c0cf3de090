// What must hold of every database: the trail and the objects agree, object by object and version by version.

import { expect } from 'vitest';
import { groupBy } from '../../../src/domain/group-by.ts';
import type { PrismaClient } from '../../../src/storage/generated/client/client.ts';
import { resources } from '../../support/model-rows.ts';

type AnyRow = Record<string, unknown> & { id: string; accountId: string; version: number };
type Delegate = { findMany(args?: object): Promise<AnyRow[]> };

/** Models whose objects have a trail. */
export const recordedModels = resources.filter(
  // Sessions are made by logins, which are no changes of anybody with a key: the trail has only those that somebody ended.
  ({ name, columns }) =>
    !['AuditEvent', 'SamlSession'].includes(name) && columns.some((column) => column.name === 'version'),
);

/** Reads all rows of a model. */
export function rowsOf(client: PrismaClient, model: string): Promise<AnyRow[]> {
  // Prisma names the delegate of a model so.
  const delegate = Reflect.get(client, `${model.charAt(0).toLowerCase()}${model.slice(1)}`) as Delegate;
  return delegate.findMany();
}

/**
 * Checks that each object has one event for each of its versions, the first of its creation and the last with what it is now, and
 * that each object that is gone has one more, of its deletion.
 */
export async function expectTrailToAgree(client: PrismaClient): Promise<void> {
  const events = await client.auditEvent.findMany({ orderBy: { version: 'asc' } });
  const byObject = groupBy(events, ({ objectId }) => objectId);
  for (const { name } of recordedModels) {
    for (const row of await rowsOf(client, name)) {
      const own = byObject.get(row.id) ?? [];
      byObject.delete(row.id);
      const expected = Array.from({ length: row.version }, (_, place) => ({
        kind: name,
        accountId: row.accountId,
        version: place + 1,
        action: place === 0 ? 'create' : 'update',
      }));
      expect(own.map(({ kind, accountId, version, action }) => ({ kind, accountId, version, action }))).toEqual(
        expected,
      );
      expect(JSON.parse(own.at(-1)?.state ?? '{}')).toMatchObject(shown(row, own.at(-1)?.state));
    }
  }
  for (const [id, own] of byObject) {
    if (own[0]?.kind === 'Account' || own[0]?.kind === 'SamlSession') continue;
    const last = own.length - 1;
    const actions = own.map((_, place) => (place === 0 ? 'create' : place === last ? 'delete' : 'update'));
    expect([id, own.map(({ action }) => action)]).toEqual([id, last === 0 ? ['create', 'delete'] : actions]);
    expect(own.map(({ version }) => version)).toEqual(own.map((_, place) => place + 1));
  }
}

/** The columns of a row that its state has, as JSON has them. */
function shown(row: AnyRow, state = '{}'): object {
  const names = Object.keys(JSON.parse(state)).filter((name) => name in row);
  return JSON.parse(
    JSON.stringify(Object.fromEntries(names.map((name) => [name, row[name]])), (_name, value) =>
      typeof value === 'bigint' ? (Number.isSafeInteger(Number(value)) ? Number(value) : String(value)) : value,
    ),
  );
}
