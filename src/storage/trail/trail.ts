// The trail: one event for each object that a change touches, written in the same batch. An object's earlier state is the state of
// its previous event, so nothing has to be read before a write.

import type { ArgType } from '@prisma/driver-adapter-utils';
import { crockford } from '../../domain/values/ids.ts';
import { groupBy } from '../../domain/values/maps.ts';
import { listsOfStatements } from '../objects/list-writes.ts';
import { partsOf, stateOf } from '../objects/object-state.ts';
import type { ChangeStatement } from '../objects/row-changer.ts';
import type { Dialect } from '../sql/dialect.ts';
import { argTypeOf } from '../sql/shapes.ts';
import { type Sql, sql, statementOf, verbatim } from '../sql/statement.ts';
import { quote } from '../sql/statement-values.ts';
import { type ChangeAction, recordedKinds } from './audit-actions.ts';
import type { Origin } from './origin.ts';

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

/** Events to be created for objects that one change touches. */
export interface NewEvents extends Omit<NewEvent, 'id' | 'object'> {
  readonly newId: () => string;
  readonly objects: readonly TouchedObject[];
}

/** Writes the statements that store events. */
export interface Trail {
  /** Writes the statement for one event. */
  event(event: NewEvent): ChangeStatement;
  /** Writes the statements for the events of objects: one for many objects of a kind. They are in the order of their ids. */
  events(events: NewEvents): ChangeStatement[];
}

/** Most objects whose events one statement stores: the state of each, such as a route with its policies, may be long. */
const eventsAtOnce = 50;

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
  readonly names: readonly string[];
  readonly argTypes: readonly ArgType[];
}

/** Creates the writer of the statements that store events. */
export function createTrail(dialect: Dialect): Trail {
  const templates = new Map<string, Template>();
  const templateOf = (name: string, write: () => Sql) => {
    const known = templates.get(name) ?? readTemplate(dialect, write());
    templates.set(name, known);
    return known;
  };
  const fill = ({ text, names, argTypes }: Template, values: Values, rows: number): ChangeStatement => {
    // Whether the objects are there is for the writes to say that change them: of many, some may be gone.
    return { sql: text, args: names.map((name) => values[name]), argTypes: [...argTypes], rows, finds: 0 };
  };
  const event: Trail['event'] = ({ id, accountId, createdAt, origin, object }) => {
    const { model, action } = object;
    const template = templateOf(`${model} ${action}`, () => insertOf(dialect, model, action === 'delete'));
    const values = {
      id,
      idPrefix: id.slice(0, -ownDigits),
      accountId,
      createdAt,
      ...origin,
      actorDescription: origin.actorDescription ?? '',
      action,
      objectId: object.id,
      ...('state' in object ? { state: object.state, actorDescription: object.description } : {}),
    };
    return fill(template, values, 1);
  };
  return {
    event,
    events({ newId, objects, ...shared }) {
      const [only, other] = objects;
      if (only !== undefined && other === undefined) return [event({ ...shared, id: newId(), object: only })];
      const byKind = groupBy(objects, ({ model, action }) => `${model} ${action}`);
      return [...byKind.values()].flatMap((alike) => {
        const [first, second] = alike;
        if (first === undefined) return [];
        const { model, action } = first;
        // A whole is recorded with its parts.
        const isWhole = action === 'delete' && partsOf(model).length > 0;
        if (second === undefined || isWhole) return alike.map((object) => event({ ...shared, id: newId(), object }));
        const template = templateOf(`${model} ${action} list`, () => insertListOf(dialect, model));
        return listsOfStatements(alike, eventsAtOnce).map((some) => {
          const list = JSON.stringify(some.map(({ id }) => [newId(), id]));
          const { accountId, createdAt, origin } = shared;
          const actorDescription = origin.actorDescription ?? '';
          return fill(template, { list, accountId, createdAt, ...origin, actorDescription, action }, some.length);
        });
      });
    },
  };
}

function readTemplate(dialect: Dialect, written: Sql): Template {
  const names = written.values.map(String);
  return {
    text: statementOf(dialect, written).sql,
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
  return insertFrom(dialect, id, from);
}

/** Writes the statement that stores the events of a list of objects, each with the id of its event. */
function insertListOf(dialect: Dialect, model: string): Sql {
  const table = verbatim(quote(model));
  const entries = sql`${dialect.json.entries('list')} AS e`;
  // So that each object is found by its id: SQLite keeps the order of a CROSS JOIN, and PostgreSQL cannot do without that of a
  // LIMIT. By its statistics, which lag behind, it would read all objects of the account for each list.
  const object = dialect.joinsLaterally
    ? sql`LATERAL (SELECT * FROM ${table} m WHERE m."id" = e.value ->> 1 LIMIT 1)`
    : table;
  const select = selectFrom(dialect, model, 'o."version"', 'e.value ->> 0', sql`${entries} CROSS JOIN ${object} o`);
  const objects = sql`${select} o."accountId" = ${'accountId'} AND o."id" = e.value ->> 1`;
  return insertFrom(dialect, verbatim('x.position'), objects);
}

/** Writes the statement that stores the events of the objects that `from` selects, with the ids that `id` gives them. */
function insertFrom(dialect: Dialect, id: Sql, from: Sql): Sql {
  // What was said of the actor; otherwise, the current description of the key. A refused request's key may no longer exist.
  const key = sql`SELECT k."description" FROM "ApiKey" k WHERE k."id" = ${'actor'}`;
  const description = sql`coalesce(nullif(${text('actorDescription')}, ''), (${key}), '')`;
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
  return selectFrom(dialect, model, version, position, verbatim(`${quote(model)} o`));
}

/** Begins the same from more tables than that of the objects, `o`. */
function selectFrom(dialect: Dialect, model: string, version: string, position: string, from: Sql): Sql {
  // Filtered lists of the trail look only for these kinds (`sql/filter-indexes.ts`).
  if (!recordedKinds.includes(model)) throw new Error(`${model} is no kind that has events: teach \`recordedKinds\`.`);
  const values =
    `SELECT '${model}' AS kind, o."id" AS id, ${version} AS version, ${stateOf(dialect, model, 'o')} AS state, ` +
    `${position} AS position`;
  return sql`${verbatim(values)} FROM ${from} WHERE`;
}
