// The trail: one event for each object that a change touches, written by the same batch. What an object was before is the state of
// its event before, so that nothing has to be read before a write.

import type { ArgType, SqlQuery } from '@prisma/driver-adapter-utils';
import { crockford } from '../domain/ids.ts';
import type { Dialect } from './engine.ts';
import { Prisma } from './generated/client/client.ts';
import { partsOf, stateOf } from './object-state.ts';
import type { Origin } from './origin.ts';
import { argTypeOf } from './shapes.ts';
import { type Sql, sql, statementOf, verbatim } from './statement.ts';

/** What a change does to an object. */
export const changeActions = ['create', 'update', 'delete'] as const;
export type ChangeAction = (typeof changeActions)[number];
/** What an event tells: a change, or that a request was refused. */
export const auditActions = [...changeActions, 'refuse'] as const;
export type AuditAction = (typeof auditActions)[number];

/** An object that a change touches. */
export interface TouchedObject {
  readonly model: string;
  readonly id: string;
  readonly action: ChangeAction;
}

/** An event to be made. */
export interface NewEvent {
  /** Its id; where parts end with their whole, the ids of all their events differ from it in the last digits. */
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: Date;
  readonly origin: Origin;
  readonly object: TouchedObject | RefusedRequestEvent;
}

/** A request that was refused, as the object of its event. */
export interface RefusedRequestEvent {
  readonly model: 'Request';
  readonly id: string;
  readonly action: 'refuse';
  /** What the event holds in the place of the state of an object, as JSON text. */
  readonly state: string;
  /** The description of a key that is gone. */
  readonly description: string;
}

/** An event to be written: a statement of our own, and the same for a batch of Prisma's. */
export interface EventStatement {
  readonly statement: SqlQuery;
  readonly sql: Sql;
}

/** Digits in which the ids of the events of one statement differ: room for a million. */
const ownDigits = 4;
const columns =
  '"id", "accountId", "createdAt", "action", "kind", "objectId", "version", "actor", "actorDescription", "requestId", ' +
  '"surface", "clientAddress", "state", "commitOrder"';

/** The values of a statement, by the names under which its template has them. */
type Values = Readonly<Record<string, string | Date | null>>;

/** A statement whose values are names. Its text is the same for all objects of a model. */
interface Template {
  readonly text: string;
  readonly sql: Sql;
  readonly names: readonly string[];
  readonly argTypes: readonly ArgType[];
}

/** Creates what writes the statements that store events. */
export function createTrail(dialect: Dialect): (event: NewEvent) => EventStatement {
  const templates = new Map<string, Template>();
  const templateOf = ({ model, action }: NewEvent['object']) => {
    const name = `${model} ${action}`;
    const known = templates.get(name) ?? readTemplate(dialect, insertOf(dialect, model, action === 'delete'));
    templates.set(name, known);
    return known;
  };
  return ({ id, accountId, createdAt, origin, object }) => {
    const { text, sql, names, argTypes } = templateOf(object);
    const idPrefix = id.slice(0, -ownDigits);
    const values: Values = {
      id,
      idPrefix,
      accountId,
      createdAt,
      ...origin,
      actorDescription: origin.actorDescription ?? '',
      action: object.action,
      objectId: object.id,
      ...('state' in object ? { state: object.state, actorDescription: object.description } : {}),
    };
    const args = names.map((name) => values[name]);
    return { statement: { sql: text, args, argTypes: [...argTypes] }, sql: new Prisma.Sql(sql.strings, args) };
  };
}

function readTemplate(dialect: Dialect, written: Sql): Template {
  const names = written.values.map(String);
  return {
    text: statementOf(dialect, written).sql,
    sql: written,
    names,
    argTypes: names.map((name) => argTypeOf(name === 'createdAt' ? 'DateTime' : 'String')),
  };
}

/**
 * Writes the statement that stores the event of an object.
 *
 * @param withParts whether the parts of the object end with it, and have events as well
 */
function insertOf(dialect: Dialect, model: string, withParts: boolean): Sql {
  const parts = withParts ? partsOf(model) : [];
  const rows = [
    selectWhole(dialect, model),
    ...parts.map((part, kind) => {
      if (partsOf(part.model).length > 0) throw new Error(`${part.model} has parts of its own: teach the trail.`);
      // No two have the same place, of whatever kind they are.
      const place = `row_number() OVER (ORDER BY o."id") * ${parts.length} - ${kind}`;
      // Their versions go up by one as well.
      const select = selectOf(dialect, part.model, 'o."version" + 1', place);
      const parent = verbatim(dialect.quote(part.parent));
      return sql`${select} o."accountId" = ${'accountId'} AND o.${parent} = ${'objectId'}`;
    }),
  ];
  const from = rows.reduce((all, some) => sql`${all} UNION ALL ${some}`);
  const id = parts.length === 0 ? sql`${'id'}` : sql`CAST(${'idPrefix'} AS TEXT) || ${verbatim(digitsOf('x.place'))}`;
  // The description that the key has at this moment. Of a request, the key can be gone; users have none.
  const key = sql`SELECT k."description" FROM "ApiKey" k WHERE k."id" = ${'actor'}`;
  const description = sql`coalesce((${key}), ${'actorDescription'})`;
  return sql`INSERT INTO "AuditEvent" (${verbatim(columns)})
    SELECT ${id}, ${'accountId'}, ${'createdAt'}, ${'action'}, x.kind, x.id, x.version, ${'actor'}, ${description},
      ${'requestId'}, ${'surface'}, ${'clientAddress'}, x.state, ${dialect.commitOrder.next('accountId')} FROM (${from}) x RETURNING "id"`;
}

/** Writes the statement that finds the object itself. */
function selectWhole(dialect: Dialect, model: string): Sql {
  switch (model) {
    case 'Request':
      // Nothing is stored of it but the event.
      return sql`SELECT 'Request' AS kind, ${text('objectId')} AS id, 0 AS version, ${text('state')} AS state, 0 AS place`;
    case 'Account':
      return sql`${selectOf(dialect, model, '1', '0')} o."id" = ${'accountId'} AND o."id" = ${'objectId'}`;
    default:
      return sql`${selectOf(dialect, model, 'o."version"', '0')} o."accountId" = ${'accountId'} AND o."id" = ${'objectId'}`;
  }
}

/** Writes a value whose type the statement does not tell. */
function text(name: string): Sql {
  return sql`CAST(${name} AS TEXT)`;
}

/** Gives what is between the id of the event of a whole that was deleted and those of its parts. */
export function idsOfPartEvents(id: string): { gt: string; lte: string } {
  return { gt: id, lte: `${id.slice(0, -ownDigits)}${'z'.repeat(ownDigits)}` };
}

/** Writes a number as the last digits of an id. */
function digitsOf(number: string): string {
  return Array.from({ length: ownDigits }, (_, place) => {
    const digit = `((${number} >> ${5 * (ownDigits - 1 - place)}) & 31) + 1`;
    return `substr('${crockford}', CAST(${digit} AS INTEGER), 1)`;
  }).join(' || ');
}

/** Begins a statement that finds objects, each with its place among those that end together. */
function selectOf(dialect: Dialect, model: string, version: string, place: string): Sql {
  return verbatim(
    `SELECT '${model}' AS kind, o."id" AS id, ${version} AS version, ${stateOf(dialect, model, 'o')} AS state, ` +
      `${place} AS place FROM ${dialect.quote(model)} o WHERE`,
  );
}
