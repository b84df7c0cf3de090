// Stores what differs between an account and a draft of it: all of it or nothing, with one event for each object, as one change.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTimedPauses } from '../../domain/concurrency/pauses.ts';
import { getDatamodel } from '../generated/pothos.ts';
import type { Draft, DraftedTable } from '../sql/drafted.ts';
import { sql, verbatim } from '../sql/statement.ts';
import { quote } from '../sql/statement-values.ts';
import type { Row, Table } from '../sql/tables.ts';
import type { AccountScope } from './account-scope.ts';
import { writerOf } from './changes.ts';
import { actionOf, type ChangedObject, type Difference, isSame, type Values } from './drafted-rows.ts';
import { lockOf, slicesOf, writesOf } from './drafted-writes.ts';
import type { ObjectWrite } from './object-changes.ts';
import { parentColumns } from './object-state.ts';
import { versionWithModules } from './write-options.ts';

/** Most objects that one change stores: all of them are in memory and in one transaction. */
export const storedObjectsMax = 10_000;

/** What differs between an account and its draft, in the order in which it can be stored. */
export interface DraftedChanges {
  readonly objects: readonly ChangedObject[];
  /** Rows that belong to no object, and those of which only what the server keeps for itself differs. */
  readonly others: readonly Difference[];
  readonly tables: readonly DraftedTable[];
}

const { models } = getDatamodel().datamodel;

/** Finds what differs, a few rows in each turn of the event loop. */
export async function findDraftedChanges(draft: Draft): Promise<DraftedChanges> {
  const { tables, events } = await draft.differences();
  const lastOf = new Map(events.map(({ objectId }, index) => [objectId, index]));
  const bornAs = new Map(events.map(({ objectId, version }) => [objectId, version] as const).reverse());
  const firstOf = new Map(events.map(({ objectId }, index) => [objectId, index] as const).reverse());
  const objects = new Map<string, ChangedObject>();
  const others: Difference[] = [];
  const parts: { readonly whole: string; readonly difference: Difference }[] = [];
  const pauses = createTimedPauses();
  for (const { table, before, after } of tables) {
    const isObject = table.columns.some(({ name }) => name === 'version') && isKeyedById(table);
    const wholeAt = isObject ? undefined : table.key[0];
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      if (pauses.due()) await nextTurn();
      const [old, now] = [before.get(key), after.get(key)];
      if (old?.text === now?.text) continue;
      const id = String((now ?? old)?.row[table.key[0] ?? 0]);
      // What comes back goes on from the version of its deletion.
      const version = bornAs.get(id) ?? 0;
      const difference = {
        table,
        before: old === undefined ? null : valuesOf(table, old.row),
        after: now === undefined ? null : valuesOf(table, now.row),
        characters: now?.text.length ?? 0,
        ...(isObject && old === undefined && version > versionWithModules ? { version } : {}),
      };
      if (isObject && lastOf.has(id)) objects.set(id, changedObject(id, difference));
      else if (wholeAt !== undefined && belongsToObject(table)) parts.push({ whole: id, difference });
      else others.push(difference);
    }
  }
  for (const { whole, difference } of parts) {
    const object = objects.get(whole);
    if (object === undefined) others.push(difference);
    // What belongs to a deleted object is deleted with it.
    else if (object.action === 'delete') object.rows += 1;
    else object.parts.push(difference);
  }
  /** Returns the deleted object that an object is deleted with. */
  const deletedWhole = ({ own, action }: ChangedObject) => {
    const parent = parentColumns.get(own.table.name);
    const whole = parent === undefined || action !== 'delete' ? undefined : objects.get(String(own.before?.[parent]));
    return whole?.action === 'delete' ? whole : undefined;
  };
  for (const object of objects.values()) {
    const whole = deletedWhole(object);
    if (whole !== undefined) whole.rows += object.rows;
  }
  // A new object comes before those that refer to it, even if it was changed after them.
  const positionOf = ({ id, action }: ChangedObject) => (action === 'create' ? firstOf : lastOf).get(id) ?? 0;
  const ordered = [...objects.values()]
    .filter((object) => deletedWhole(object) === undefined)
    .sort((a, b) => positionOf(a) - positionOf(b));
  return { objects: ordered, others: others.filter((other) => !isGoneWithWhole(other, objects)), tables };
}

function changedObject(id: string, own: Difference): ChangedObject {
  return { own, id, action: actionOf(own), parts: [], rows: 1 };
}

function isKeyedById({ key, columns }: Table): boolean {
  return key.length === 1 && columns[key[0] ?? 0]?.name === 'id';
}

/** Returns whether the rows of a table belong to objects: their key begins with a reference. */
function belongsToObject(table: Table): boolean {
  const column = table.columns[table.key[0] ?? 0]?.name;
  return models[table.name]?.fields.some(({ relationFromFields }) => relationFromFields?.[0] === column) === true;
}

function isGoneWithWhole({ table, before, after }: Difference, objects: ReadonlyMap<string, ChangedObject>): boolean {
  const parent = parentColumns.get(table.name);
  return after === null && parent !== undefined && objects.get(String(before?.[parent]))?.action === 'delete';
}

function valuesOf({ columns }: Table, row: Row): Values {
  return Object.fromEntries(
    columns.flatMap(({ name }, index) => (name === 'accountId' ? [] : [[name, row[index] ?? null] as const])),
  );
}

/**
 * Stores the changes of a draft.
 *
 * @param remembered what the answer to a repeated request needs
 * @param acknowledged called once they are stored
 * @throws an error that `isMissingRow` recognizes if the account has changed since the draft was opened; otherwise as other changes:
 *   an error that `isDuplicate` or `isMissingReference` recognizes if something in the way was not part of the draft
 */
export async function storeDraft(
  scope: AccountScope,
  { objects, others, tables }: DraftedChanges,
  remembered: object,
  acknowledged?: () => void,
): Promise<void> {
  const writes: ObjectWrite[] = [];
  const pauses = createTimedPauses();
  for (const group of groupsOf(objects)) {
    for (const some of slicesOf(group)) {
      writes.push(...writesOf(scope, tables, some));
      if (pauses.due()) await nextTurn();
    }
  }
  const unnamed = others.map((own) => changedObject('', own));
  for (const some of alike(unnamed).flatMap(slicesOf)) {
    writes.push(
      ...writesOf(scope, tables, some).map(({ write, seals }) => ({
        write,
        seals: seals === true,
        touched: [],
        deltas: [],
      })),
    );
    if (pauses.due()) await nextTurn();
  }
  const at = writes.findLastIndex(({ touched }) => touched.length > 0);
  const write = writes[at] ?? writes.at(-1);
  if (write === undefined) return;
  const index = writes.indexOf(write);
  const deleted = objects.filter(({ action }) => action === 'delete');
  const locks = alike(deleted)
    .flatMap(slicesOf)
    .map((some) => lockOf(scope, some));
  // What it does was looked at in the draft.
  await writerOf(scope).forced.apply({
    write,
    before: [...unchanged(scope, tables), ...locks],
    removals: writes.slice(0, index),
    after: writes.slice(index + 1),
    remembered,
    acknowledged,
  });
}

/** Puts objects together that follow each other and change in the same way. */
function groupsOf(objects: readonly ChangedObject[]): ChangedObject[][] {
  const groups: ChangedObject[][] = [];
  for (const object of objects) {
    const [last] = groups.at(-1) ?? [];
    const isAlike = last?.own.table === object.own.table && last.action === object.action;
    if (isAlike && !changesUnique(object)) groups.at(-1)?.push(object);
    else groups.push([object]);
    // The next begins a group, because a database checks unique values row by row.
    if (changesUnique(object)) groups.push([]);
  }
  return groups.filter(({ length }) => length > 0);
}

/** Puts what changes in the same way together, whatever is between it: first what goes, so that others can take its names. */
function alike(objects: readonly ChangedObject[]): ChangedObject[][] {
  const groups = new Map<string, ChangedObject[]>();
  for (const action of ['delete', 'update', 'create'] as const) {
    for (const object of objects.filter((one) => one.action === action)) {
      const key = `${action} ${object.own.table.name}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [object]);
      else group.push(object);
    }
  }
  return [...groups.values()];
}

/** Returns whether an update changes a value that must be unique together with others. */
function changesUnique({ own: { table, before, after } }: ChangedObject): boolean {
  if (before === null || after === null) return false;
  const unique = models[table.name]?.uniqueIndexes.flatMap(({ fields }) => fields) ?? [];
  return unique.some((name) => name !== 'accountId' && !isSame(before[name], after[name]));
}

/** Prepares what finds a row only if the account has the same objects as when the draft was opened, and no draft is stored meanwhile. */
function unchanged(scope: AccountScope, tables: readonly DraftedTable[]): ObjectWrite[] {
  const { accountId } = scope;
  const turns = [{ model: 'Account', id: accountId, made: null }];
  const checks = tables.flatMap(({ table, before, isCopied }) => {
    const at = table.columns.findIndex(({ name }) => name === 'version');
    if (!isCopied || at === -1 || !isKeyedById(table)) return [];
    let versions = 0;
    let newest = '';
    for (const [id, { row }] of before) {
      versions += Number(row[at]);
      if (id > newest) newest = id;
    }
    const of = sql`SELECT count(*) AS objects, coalesce(sum("version"), 0) AS versions, coalesce(max("id"), '') AS newest
      FROM ${verbatim(quote(table.name))} WHERE "accountId" = ${accountId}`;
    return sql`SELECT 1 FROM (${of}) x WHERE x.objects = ${before.size} AND x.versions = ${versions} AND x.newest = ${newest}`;
  });
  return checks.map((check, index) => ({
    write: writerOf(scope).rowWriter(check),
    touched: [],
    deltas: [],
    turns: index === 0 ? turns : [],
  }));
}
