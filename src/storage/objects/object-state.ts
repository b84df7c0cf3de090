// What the trail keeps of an object: its columns and modules as JSON, built by the database from the rows themselves. Derived from
// the models, so that a new area is recorded without being named here.

import { areas } from '../../areas/areas.ts';
import { kinds } from '../../domain/values/ids.ts';
import { getDatamodel } from '../generated/pothos.ts';
import type { Dialect, JsonWriting } from '../sql/dialect.ts';
import { isColumnType } from '../sql/shapes.ts';
import { quote } from '../sql/statement-values.ts';

type Model = ReturnType<typeof getDatamodel>['datamodel']['models'][string];
type Field = Model['fields'][number];
type RecordedType = keyof JsonWriting['value'];

/** Columns that the event has outside the state. */
const ofEvent: ReadonlySet<string> = new Set(['id', 'accountId', 'version', 'updatedAt']);

/** Objects that are deleted together with the object that they are a part of. */
export interface PartsOf {
  readonly model: string;
  /** The column that names the whole. */
  readonly parent: string;
}

const { models } = getDatamodel().datamodel;

/** Columns and relations that the trail leaves out, as areas declare them. */
const bookkeeping: ReadonlySet<string> = new Set(areas.flatMap((area) => area.bookkeeping ?? []));

function modelOf(name: string): Model {
  const model = models[name];
  if (model === undefined) throw new Error(`There is no model ${name}.`);
  return model;
}

/** Returns whether rows of a model are objects, which have their own trail. */
function isObject(model: string): boolean {
  return Object.hasOwn(kinds, model);
}

/** Returns whether a column holds a secret, by its type and name: all bytes are sealed, and hashes are derived from tokens. */
function isSecret({ name, type }: Field): boolean {
  return type === 'Bytes' || name.startsWith('sealed') || name.endsWith('Hash');
}

function referringColumn({ type, relationName }: Field): string {
  const [column, ...others] =
    modelOf(type).fields.find((field) => field.relationName === relationName)?.relationFromFields ?? [];
  if (column === undefined || others.length > 0) throw new Error(`${type} does not refer by one column.`);
  return column;
}

/** Returns the column that other rows refer to: that of an object's id, or the one that names the object of a module. */
function keyColumn(model: string): string {
  const key = modelOf(model).fields.find(({ isId }) => isId);
  if (key === undefined) throw new Error(`${model} has no key of one column.`);
  return key.name;
}

/** Returns the recorded relations of a model: those by which other rows refer to its rows. */
function recordedRelations(model: string): Field[] {
  return modelOf(model).fields.filter(
    ({ kind, name, relationFromFields }) =>
      kind === 'object' && relationFromFields?.length === 0 && !bookkeeping.has(`${model}.${name}`),
  );
}

/** Returns the parts of a model that are deleted with its objects and are objects themselves. */
export function partsOf(model: string): PartsOf[] {
  return recordedRelations(model)
    .filter(({ type }) => isObject(type))
    .map((field) => ({ model: field.type, parent: referringColumn(field) }));
}

/**
 * By model of the part, the column that names the whole with which a part is deleted. A part has one whole, which never changes.
 */
export const parentColumns: ReadonlyMap<string, string> = new Map(
  Object.keys(models).flatMap((whole) => partsOf(whole).map(({ model, parent }) => [model, parent] as const)),
);

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
 * Writes the expression that builds the state of an object.
 *
 * @param table the alias of the row in the statement
 */
export function stateOf(dialect: Dialect, model: string, table: string): string {
  return dialect.json.text(writeObject(dialect, model, table, ofEvent));
}

function writeObject(dialect: Dialect, model: string, table: string, except: ReadonlySet<string>): string {
  const { json } = dialect;
  const columns = recordedColumns(model, except).map(
    ({ name, type }) => [name, json.value[type](`${table}.${quote(name)}`)] as const,
  );
  const modules = recordedRelations(model)
    .filter(({ type }) => !isObject(type))
    .map((field) => [field.name, writeRelation(dialect, field, `${table}.${quote(keyColumn(model))}`, table)] as const);
  return json.object([...columns, ...modules]);
}

/** Writes the expression for rows that are not objects: a module, or null without one; or the entries of a list. */
function writeRelation(dialect: Dialect, field: Field, key: string, table: string): string {
  const { json } = dialect;
  const model = field.type;
  const parent = referringColumn(field);
  const rows = `${table}_${field.name}`;
  const except = new Set(['accountId', parent, 'position']);
  const [column, ...others] = recordedColumns(model, except);
  // Entries with a single column are recorded as its value: a list of ids rather than of objects.
  const value =
    field.isList && column !== undefined && others.length === 0
      ? json.value[column.type](`${rows}.${quote(column.name)}`)
      : writeObject(dialect, model, rows, except);
  const from = `FROM ${quote(model)} ${rows} WHERE ${rows}.${quote(parent)} = ${key}`;
  return field.isList ? json.list(value, `${rows}.${quote('position')}`, from) : json.one(value, from);
}
