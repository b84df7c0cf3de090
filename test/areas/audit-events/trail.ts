// An invariant of every database: the trail agrees with the objects, object by object and version by version.

import { expect } from 'vitest';
import { groupBy } from '../../../src/domain/values/maps.ts';
import type { PrismaClient } from '../../../src/storage/generated/client/client.ts';
import { delegateOf } from '../../support/delegates.ts';
import { resources } from '../../support/model-rows.ts';

type AnyRow = Record<string, unknown> & { id: string; accountId: string; version: number };

/** The models whose changes are recorded in the trail. */
export const recordedModels = resources.filter(
  // Sessions expire, or end with the object they belong to, without an event in the trail.
  ({ name, columns }) =>
    !['AuditEvent', 'AuditCheckpoint', 'DashboardSession', 'LoginSession'].includes(name) &&
    columns.some((column) => column.name === 'version'),
);

/** Reads all rows of a model. */
export async function rowsOf(client: PrismaClient, model: string): Promise<AnyRow[]> {
  // Every model read here has these columns.
  return (await delegateOf(client, model).findMany()) as AnyRow[];
}

/**
 * Checks that each object has one event per version: the first is its creation, and the last holds its current state, or is its
 * deletion if the object is gone. Only another creation may follow a deletion.
 */
export async function expectTrailToAgree(client: PrismaClient): Promise<void> {
  const changes = { action: { in: ['create', 'update', 'delete'] } };
  const events = await client.auditEvent.findMany({ where: changes, orderBy: { version: 'asc' } });
  const byObject = groupBy(events, ({ objectId }) => objectId);
  const gone = new Map(byObject);
  for (const { name } of recordedModels) {
    for (const row of await rowsOf(client, name)) {
      const own = byObject.get(row.id) ?? [];
      gone.delete(row.id);
      const ofObject = { kind: name, accountId: row.accountId };
      expect(own.map(({ kind, accountId }) => ({ kind, accountId }))).toEqual(own.map(() => ofObject));
      expect([row.id, own.length, own.at(-1)?.action]).toEqual([
        row.id,
        row.version,
        expect.not.stringMatching('delete'),
      ]);
      expect(JSON.parse(own.at(-1)?.state ?? '{}')).toMatchObject(shown(row, own.at(-1)?.state));
    }
  }
  for (const [id, own] of byObject) {
    if (own[0]?.kind === 'Account' || own[0]?.kind === 'LoginSession' || own[0]?.kind === 'DashboardSession') continue;
    expect([id, own.map(({ version }) => version)]).toEqual([id, own.map((_, index) => index + 1)]);
    const lives = own.map(({ action }) => action).join(' ');
    expect([id, lives]).toEqual([id, expect.stringMatching(/^create( update)*( delete create( update)*)*( delete)?$/)]);
    expect([id, gone.has(id)]).toEqual([id, lives.endsWith('delete')]);
  }
}

/** Returns the columns of a row that its recorded state contains, as JSON values. */
function shown(row: AnyRow, state = '{}'): object {
  const names = Object.keys(JSON.parse(state)).filter((name) => name in row);
  return JSON.parse(
    JSON.stringify(Object.fromEntries(names.map((name) => [name, row[name]])), (_name, value) =>
      typeof value === 'bigint' ? (Number.isSafeInteger(Number(value)) ? Number(value) : String(value)) : value,
    ),
  );
}
