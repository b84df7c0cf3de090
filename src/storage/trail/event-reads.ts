// Reads the events of accounts in commit order.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { translated } from '../errors.ts';
import type { Row } from '../objects/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import { createShapes, createToRow, namesOf } from '../sql/shapes.ts';
import { joined, type Sql, sql, statementOf, toPowerOfTwo, verbatim } from '../sql/statement.ts';
import { readFact } from './facts.ts';
import { type Seen, seenOf } from './seen.ts';

export type AuditEvent = Row<'AuditEvent'>;

/** A position in the events of an account: after the event with this number and this id. */
export interface Cursor {
  readonly order: bigint;
  readonly id: string;
}

/** The columns that decide whether an event is wanted. */
export type EventHead = Pick<AuditEvent, 'id' | 'action' | 'kind' | 'objectId' | 'commitOrder'>;

/** A head, with the bytes of the state. */
export interface SizedHead extends EventHead {
  readonly bytes: number;
}

/** Consecutive events of an account. */
export interface EventPage {
  /** The events that are wanted. */
  readonly events: readonly AuditEvent[];
  /** The position up to which events were examined. */
  readonly cursor: Cursor;
  /** Whether there may be more events after that position. */
  readonly hasMore: boolean;
}

/** The end of an account's events at a moment. */
export interface TrailEnd {
  /** The last position before which no event can appear any more. */
  readonly cursor: Cursor;
  /** Which events after it were there; null if none was. */
  readonly seen: Seen | null;
}

/** The events of accounts in commit order. All methods throw UNAVAILABLE if the storage cannot serve them now. */
export interface EventReads {
  /**
   * Reads the settled events after a position, before which no other event can appear any more: the first that is wanted, and as many
   * more as fit into `bytesMax` together with it. The states of unwanted events are not read.
   */
  after(accountId: string, cursor: Cursor, wants: (head: EventHead) => boolean, bytesMax: number): Promise<EventPage>;
  /** Reads the heads of the settled events after a position; `hasMore` says whether there may be more of them. */
  heads(
    accountId: string,
    cursor: Cursor,
  ): Promise<{ readonly heads: readonly SizedHead[]; readonly hasMore: boolean }>;
  /**
   * Reads all events after a position, up to another one or, without it, up to the last that is settled: at most `most`, of which
   * the first is read whatever its size, and as many more as fit into `bytesMax` together with it.
   */
  between(accountId: string, after: Cursor, until: Cursor | null, most: number, bytesMax: number): Promise<EventPage>;
  /** Reads events of an account by their ids, in commit order; without those that are gone. */
  byIds(accountId: string, ids: readonly string[]): Promise<AuditEvent[]>;
  /** Returns the end of the events as of now. */
  end(accountId: string): Promise<TrailEnd>;
  /**
   * Finds the position of an event, and whether it is settled, so that no event can appear before it any more; null if there is no
   * such event.
   */
  cursorOfId(accountId: string, id: string): Promise<{ cursor: Cursor; isSettled: boolean } | null>;
  /** Returns which of some accounts have settled events after their cursors. */
  withMore(cursors: readonly (Cursor & { readonly accountId: string })[]): Promise<string[]>;
  /** Returns the bound below which events may have been deleted, an id; null if none was ever deleted. */
  forgotten(): Promise<string | null>;
}

/** Name of the fact that keeps the bound below which events may have been deleted. */
export const forgottenFact = 'auditEventsForgotten';

/** The position before all events. An earlier version gave events that came from another server negative numbers. */
export const beginning: Cursor = { order: -(2n ** 62n), id: '' };
/** Maximum number of events examined for one page, and of events on it. */
const headsAtOnce = 500;
const eventsAtOnce = 64;

/** Returns whether the first position comes after the second. */
export function comesAfter(one: Cursor, other: Cursor): boolean {
  return one.order > other.order || (one.order === other.order && one.id > other.id);
}

/** Returns the position of an event. */
export function cursorOf({ commitOrder, id }: Pick<AuditEvent, 'commitOrder' | 'id'>): Cursor {
  return { order: commitOrder, id };
}

/**
 * Chooses of consecutive events those that are wanted, the first whatever its size and as many more as fit into `bytesMax`.
 *
 * @returns their ids, the position up to which events were examined, and whether some were left
 */
export function chooseEvents(
  heads: readonly SizedHead[],
  start: Cursor,
  wants: (head: EventHead) => boolean,
  bytesMax: number,
): { readonly ids: readonly string[]; readonly cursor: Cursor; readonly isFull: boolean } {
  const ids: string[] = [];
  let cursor = start;
  let bytes = 0;
  for (const head of heads) {
    if (wants(head)) {
      bytes += head.bytes;
      if (ids.length > 0 && (bytes > bytesMax || ids.length === eventsAtOnce)) return { ids, cursor, isFull: true };
      ids.push(head.id);
    }
    cursor = cursorOf(head);
  }
  return { ids, cursor, isFull: false };
}

/** Creates the reads over a connection. */
export function createEventReads(connection: SqlQueryable, dialect: Dialect): EventReads {
  const columns = createShapes(dialect)('AuditEvent');
  const names = verbatim(namesOf(columns));
  const toRow = createToRow(columns);
  const settled = verbatim(dialect.commitOrder.settled('"commitOrder"'));
  const rowsOf = async (statement: Sql) =>
    (await translated(connection.queryRaw(statementOf(dialect, statement)))).rows;
  const cursorIn = ([id, order]: readonly unknown[]): Cursor => ({ id: String(id), order: BigInt(String(order)) });
  const byIds = async (accountId: string, ids: readonly string[]): Promise<AuditEvent[]> => {
    if (ids.length === 0) return [];
    // Without an order: for one that an index has, SQLite walks the whole trail of the account.
    const rows = await rowsOf(
      sql`SELECT ${names} FROM "AuditEvent" WHERE "accountId" = ${accountId} AND "id" IN (${joined(toPowerOfTwo(ids))})`,
    );
    // All columns of the model, each decoded as the model says.
    const events = rows.map((values) => toRow(accountId, values) as AuditEvent);
    return events.sort((one, other) => (comesAfter(cursorOf(one), cursorOf(other)) ? 1 : -1));
  };
  const heads: EventReads['heads'] = async (accountId, start) => {
    // Without their states: in a trail with large states, most of the time would go into events that nobody wants.
    const rows = await rowsOf(
      sql`SELECT "id", "commitOrder", "kind", "objectId", octet_length("state"), "action" FROM "AuditEvent"
        WHERE "accountId" = ${accountId} AND ("commitOrder", "id") > (${start.order}, ${start.id}) AND ${settled}
        ORDER BY "accountId", "commitOrder", "id" LIMIT ${headsAtOnce}`,
    );
    const found = rows.map(([id, order, kind, objectId, size, action]) => ({
      id: String(id),
      commitOrder: BigInt(String(order)),
      kind: String(kind),
      objectId: String(objectId),
      bytes: Number(size),
      action: String(action),
    }));
    return { heads: found, hasMore: found.length === headsAtOnce };
  };
  return {
    byIds,
    heads,

    async after(accountId, start, wants, bytesMax) {
      const read = await heads(accountId, start);
      const { ids, cursor, isFull } = chooseEvents(read.heads, start, wants, bytesMax);
      return { events: await byIds(accountId, ids), cursor, hasMore: isFull || read.hasMore };
    },

    async between(accountId, after, until, most, bytesMax) {
      const upTo = ({ order, id }: Cursor) => sql`("commitOrder", "id") <= (${order}, ${id})`;
      const begin = sql`"accountId" = ${accountId} AND ("commitOrder", "id") > (${after.order}, ${after.id})`;
      const order = sql`ORDER BY "accountId", "commitOrder", "id"`;
      // Their sizes first, because a state may be a thousand times as large as another.
      const heads = await rowsOf(
        sql`SELECT "id", "commitOrder", octet_length("state") FROM "AuditEvent"
          WHERE ${begin} AND ${until === null ? settled : upTo(until)} ${order} LIMIT ${most}`,
      );
      let bytes = 0;
      const tooLarge = heads.findIndex(([, , size], index) => {
        bytes += Number(size);
        return bytes > bytesMax && index > 0;
      });
      const read = tooLarge === -1 ? heads : heads.slice(0, tooLarge);
      const last = read.at(-1);
      if (last === undefined) return { events: [], cursor: after, hasMore: false };
      const cursor = cursorIn(last);
      const rows = await rowsOf(sql`SELECT ${names} FROM "AuditEvent" WHERE ${begin} AND ${upTo(cursor)} ${order}`);
      const events = rows.map((values) => toRow(accountId, values) as AuditEvent);
      return { events, cursor, hasMore: tooLarge !== -1 || heads.length === most };
    },

    async end(accountId) {
      // In one statement, so that all of it is from one moment.
      const last = (where: Sql) => sql`SELECT * FROM (SELECT "id", "commitOrder" FROM "AuditEvent"
        WHERE "accountId" = ${accountId} AND ${where} ORDER BY "accountId" DESC, "commitOrder" DESC, "id" DESC LIMIT 1) e`;
      const rows = await rowsOf(
        sql`SELECT s."id", s."commitOrder", NULL FROM (${last(settled)}) s
          UNION ALL SELECT u."id", u."commitOrder", ${verbatim(dialect.commitOrder.open)} FROM (${last(sql`NOT (${settled})`)}) u`,
      );
      const found = rows.find(([, , numbers]) => numbers === null);
      const unsettled = rows.find((row) => row !== found);
      return {
        cursor: found === undefined ? beginning : cursorIn(found),
        seen: unsettled === undefined ? null : seenOf(BigInt(String(unsettled[1])), String(unsettled[2])),
      };
    },

    async cursorOfId(accountId, id) {
      const [found] = await rowsOf(
        sql`SELECT "id", "commitOrder", CASE WHEN ${settled} THEN 1 ELSE 0 END FROM "AuditEvent"
          WHERE "accountId" = ${accountId} AND "id" = ${id}`,
      );
      return found === undefined ? null : { cursor: cursorIn(found), isSettled: Number(found[2]) === 1 };
    },

    async withMore(cursors) {
      if (cursors.length === 0) return [];
      const positions = toPowerOfTwo(cursors).map(
        ({ accountId, order, id }) => sql`(CAST(${accountId} AS TEXT), CAST(${order} AS BIGINT), CAST(${id} AS TEXT))`,
      );
      // Of each account the first event that is found is enough, however many there are.
      const rows = await rowsOf(
        sql`WITH p(account, reached, event) AS (VALUES ${joined(positions)}) SELECT DISTINCT account FROM p WHERE EXISTS (
          SELECT 1 FROM "AuditEvent"
          WHERE "accountId" = p.account AND ("commitOrder", "id") > (p.reached, p.event) AND ${settled})`,
      );
      return rows.map(([accountId]) => String(accountId));
    },

    forgotten: () => readFact({ rows: rowsOf, decode: dialect.decode }, forgottenFact),
  };
}
