// The trail: one event for each object that a change touches, written in the same batch. An object's earlier state is the state of
// its previous event, so nothing has to be read before a write.

import type { ArgType, SqlQuery } from '@prisma/driver-adapter-utils';
import { crockford } from '../../domain/values/ids.ts';
import { Prisma } from '../generated/client/client.ts';
import { partsOf, stateOf } from '../objects/object-state.ts';
import type { Dialect } from '../sql/dialect.ts';
import { argTypeOf } from '../sql/shapes.ts';
import { type Sql, sql, statementOf, verbatim } from '../sql/statement.ts';
import { quote } from '../sql/statement-values.ts';
import type { ChangeAction } from './audit-actions.ts';
import type { Origin } from './origin.ts';

/** An object that a change touches. */
export interface TouchedObject {
  readonly model: string;
  readonly id: string;
  readonly action: ChangeAction;
}

/** An event to be created. */
export interface NewEvent {
  /** The event's id. If a whole is deleted with its parts, the ids of all their events differ from this one in the last digits. */
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
  /** What the event stores instead of an object's state, as JSON text. */
  readonly state: string;
  /** The description of the key, if it no longer exists. */
  readonly description: string;
}

/** The statement that writes an event: as our own statement, and the same for one of Prisma's batches. */
export interface EventStatement {
  readonly statement: SqlQuery;
  readonly sql: Sql;
}

/** Number of last digits in which the ids of one statement's events differ: enough for a million. */
const ownDigits = 4;
const columns =
  '"id", "accountId", "createdAt", "action", "kind", "objectId", "version", "actor", "actorDescription", "requestId", ' +
  '"surface", "clientAddress", "state", "commitOrder"';

/** The values of a statement, by their names in the template. */
type Values = Readonly<Record<string, string | Date | null>>;

/** A statement with names instead of values. Its text is the same for all objects of a model. */
interface Template {
  readonly text: string;
  readonly sql: Sql;
  readonly names: readonly string[];
  readonly argTypes: readonly ArgType[];
}

/** Creates the function that writes the statements that store events. */
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
 * @param withParts whether the parts of the object are deleted with it, and get events as well
 */
function insertOf(dialect: Dialect, model: string, withParts: boolean): Sql {
  const parts = withParts ? partsOf(model) : [];
  const rows = [
    selectWhole(dialect, model),
    ...parts.map((part, kind) => {
      if (partsOf(part.model).length > 0) throw new Error(`${part.model} has parts of its own: teach the trail.`);
      // Positions are unique across all kinds of parts.
      const position = `row_number() OVER (ORDER BY o."id") * ${parts.length} - ${kind}`;
      // The deletion increments the versions of parts as well.
      const select = selectOf(dialect, part.model, 'o."version" + 1', position);
      const parent = verbatim(quote(part.parent));
      return sql`${select} o."accountId" = ${'accountId'} AND o.${parent} = ${'objectId'}`;
    }),
  ];
  const from = rows.reduce((all, some) => sql`${all} UNION ALL ${some}`);
  const id =
    parts.length === 0 ? sql`${'id'}` : sql`CAST(${'idPrefix'} AS TEXT) || ${verbatim(digitsOf('x.position'))}`;
  // The current description of the key. A refused request's key may no longer exist; users have no key.
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
      // Nothing but the event is stored for a request.
      return sql`SELECT 'Request' AS kind, ${text('objectId')} AS id, 0 AS version, ${text('state')} AS state, 0 AS position`;
    case 'Account':
      return sql`${selectOf(dialect, model, '1', '0')} o."id" = ${'accountId'} AND o."id" = ${'objectId'}`;
    default:
      return sql`${selectOf(dialect, model, 'o."version"', '0')} o."accountId" = ${'accountId'} AND o."id" = ${'objectId'}`;
  }
}

/** Writes a value whose type does not follow from the statement. */
function text(name: string): Sql {
  return sql`CAST(${name} AS TEXT)`;
}

/** Returns the range of ids of the events of parts that were deleted with a whole, from the id of the whole's event. */
export function idsOfPartEvents(id: string): { gt: string; lte: string } {
  return { gt: id, lte: `${id.slice(0, -ownDigits)}${'z'.repeat(ownDigits)}` };
}

/** Writes the SQL that formats a number as the last digits of an id. */
function digitsOf(number: string): string {
  return Array.from({ length: ownDigits }, (_, index) => {
    const digit = `((${number} >> ${5 * (ownDigits - 1 - index)}) & 31) + 1`;
    return `substr('${crockford}', CAST(${digit} AS INTEGER), 1)`;
  }).join(' || ');
}

/** Begins a statement that selects objects, each with its position among the objects deleted together. */
function selectOf(dialect: Dialect, model: string, version: string, position: string): Sql {
  return verbatim(
    `SELECT '${model}' AS kind, o."id" AS id, ${version} AS version, ${stateOf(dialect, model, 'o')} AS state, ` +
      `${position} AS position FROM ${quote(model)} o WHERE`,
  );
}
