// What the trail keeps of an object: its columns and modules as JSON, made by the database out of the rows themselves. Derived
// from the models, so that a new area is recorded without being named here.

import { kinds } from '../domain/ids.ts';
import { bookkeeping } from './collections.ts';
import type { Dialect, JsonWriting } from './engine.ts';
import { getDatamodel } from './generated/pothos.ts';
import { isColumnType } from './shapes.ts';

type Model = ReturnType<typeof getDatamodel>['datamodel']['models'][string];
type Field = Model['fields'][number];
/** Types of columns that are recorded. */
type RecordedType = keyof JsonWriting['value'];

/** Columns that the event has beside the state. */
const ofEvent: ReadonlySet<string> = new Set(['id', 'accountId', 'version', 'updatedAt']);

/** A list of objects that end with the object that they are a part of. */
export interface PartsOf {
  readonly model: string;
  /** The column that names the whole. */
  readonly parent: string;
}

const { models } = getDatamodel().datamodel;

function modelOf(name: string): Model {
  const model = models[name];
  if (model === undefined) throw new Error(`There is no model ${name}.`);
  return model;
}

/** Tells whether rows of a model are objects, which have a trail of their own. */
function isObject(model: string): boolean {
  return Object.hasOwn(kinds, model);
}

/** Secrets tell so by their columns: all bytes are sealed, and hashes are made of tokens. */
function isSecret({ name, type }: Field): boolean {
  return type === 'Bytes' || name.startsWith('sealed') || name.endsWith('Hash');
}

/** The column by which the rows of a relation refer to an object. */
function referringColumn({ type, relationName }: Field): string {
  const [column, ...others] =
    modelOf(type).fields.find((field) => field.relationName === relationName)?.relationFromFields ?? [];
  if (column === undefined || others.length > 0) throw new Error(`${type} does not refer by one column.`);
  return column;
}

/** Gives the relations of a model by which other rows refer to its own, and that are recorded. */
function recordedRelations(model: string): Field[] {
  return modelOf(model).fields.filter(
    ({ kind, name, relationFromFields }) =>
      kind === 'object' && relationFromFields?.length === 0 && !bookkeeping.has(`${model}.${name}`),
  );
}

/** Gives what ends with an object and is an object itself. */
export function partsOf(model: string): PartsOf[] {
  return recordedRelations(model)
    .filter(({ type }) => isObject(type))
    .map((field) => ({ model: field.type, parent: referringColumn(field) }));
}

/** The columns by which parts name the wholes that they end with, by the models of the parts. A part has one whole, for ever. */
export const parentColumns: ReadonlyMap<string, string> = new Map(
  Object.keys(models).flatMap((whole) => partsOf(whole).map(({ model, parent }) => [model, parent] as const)),
);

/** Gives the columns of a model that are recorded. */
function recordedColumns(model: string, except: ReadonlySet<string>): { name: string; type: RecordedType }[] {
  return modelOf(model)
    .fields.filter((field) => field.kind === 'scalar' && !except.has(field.name) && !isSecret(field))
    .filter(({ name }) => !bookkeeping.has(`${model}.${name}`))
    .map(({ name, type }) => {
      if (!isColumnType(type) || type === 'Bytes')
        throw new Error(`${model}.${name} has the type ${type}: add it to every dialect.`);
      return { name, type };
    });
}

/**
 * Writes the expression that makes the state of an object.
 *
 * @param table under what name the statement has the row
 */
export function stateOf(dialect: Dialect, model: string, table: string): string {
  return dialect.json.text(writeObject(dialect, model, table, ofEvent));
}

function writeObject(dialect: Dialect, model: string, table: string, except: ReadonlySet<string>): string {
  const { quote, json } = dialect;
  const columns = recordedColumns(model, except).map(
    ({ name, type }) => [name, json.value[type](`${table}.${quote(name)}`)] as const,
  );
  const modules = recordedRelations(model)
    .filter(({ type }) => !isObject(type))
    .map((field) => [field.name, writeRelation(dialect, field, table)] as const);
  return json.object([...columns, ...modules]);
}

/** Writes the expression for rows that are no objects: a module, or null without one; or the entries of a list. */
function writeRelation(dialect: Dialect, field: Field, table: string): string {
  const { quote, json } = dialect;
  const model = field.type;
  const parent = referringColumn(field);
  const rows = `${table}_${field.name}`;
  const except = new Set(['accountId', parent, 'position']);
  const [column, ...others] = recordedColumns(model, except);
  // Of entries that have one column, only that: a list of ids rather than of objects.
  const value =
    field.isList && column !== undefined && others.length === 0
      ? json.value[column.type](`${rows}.${quote(column.name)}`)
      : writeObject(dialect, model, rows, except);
  const from = `FROM ${quote(model)} ${rows} WHERE ${rows}.${quote(parent)} = ${table}.${quote('id')}`;
  return field.isList ? json.list(value, `${rows}.${quote('position')}`, from) : json.one(value, from);
}
