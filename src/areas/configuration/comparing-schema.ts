// Compares what a document says with what an object has.

import { type GraphQLInputType, getNamedType, getNullableType, isInputObjectType, isListType } from 'graphql';
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts';
import { inText } from './entries-schema.ts';
import type { ConfiguredField, ConfiguredModule } from './kind-schema.ts';
import { canonical } from './state-schema.ts';

/** The value of a field of an object before and after; null where the object or the module is not there. */
export interface PlannedField {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What is shown in place of a secret. */
export const hidden = '(secret)';

/**
 * Returns the fields whose values differ from those that a document says. One that it leaves out has its default, or stays as it is if
 * that depends on something else.
 *
 * @param had what the object has; undefined if it is not there
 */
export function changedFields(
  fields: readonly ConfiguredField[],
  said: JsonObject,
  had: JsonObject | undefined,
): (PlannedField & { readonly of: ConfiguredField })[] {
  return fields.flatMap((field) => {
    const { name, type, isSecret, selection, unless } = field;
    if (isSecret || (selection === null && had !== undefined)) return [];
    if (unless !== null && said[unless] != null) return [];
    const after = withDefaults(type, said[name] ?? field.default);
    const before = had?.[name] ?? null;
    if (after === undefined || comparable(field, before) === comparable(field, keepingRest(type, after, before)))
      return [];
    return [{ of: field, field: name, before, after }];
  });
}

/** Shows the names of objects in place of their ids, also in free JSON: new objects have other ids in each plan. */
export function withNames(fields: readonly PlannedField[], nameById: ReadonlyMap<string, string>): PlannedField[] {
  const named = (value: unknown) => inText(value, (text) => nameById.get(text) ?? text);
  return fields.map(({ field, before, after }) => ({ field, before: named(before), after: named(after) }));
}

/** Returns the entries of a list that a document adds and removes. An entry that differs is both. */
export function changedEntries(
  { name, fields }: ConfiguredModule,
  said: readonly JsonObject[],
  had: readonly JsonObject[],
): PlannedField[] {
  const textOf = (values: JsonObject) =>
    fields.map((field) => comparable(field, values[field.name] ?? field.default ?? null)).join();
  const [wanted, standing] = [said, had].map((list) => new Map(list.map((values) => [textOf(values), values])));
  const keyField = fields[0]?.name ?? '';
  const removed = [...(standing ?? [])].filter(([text]) => wanted?.has(text) !== true);
  const added = [...(wanted ?? [])].filter(([text]) => standing?.has(text) !== true);
  const byKey = new Map(removed.map(([, values]) => [String(values[keyField]), values]));
  const fieldOf = (values: JsonObject) => `${name}[${String(values[keyField])}]`;
  const changed = added.map(([, values]) => {
    const key = String(values[keyField]);
    const before = byKey.get(key);
    byKey.delete(key);
    return {
      field: fieldOf(values),
      before: before === undefined ? null : brief(fields, before),
      after: brief(fields, values),
    };
  });
  return [
    ...changed,
    ...[...byKey.values()].map((values) => ({ field: fieldOf(values), before: brief(fields, values), after: null })),
  ];
}

/** Gives objects inside a value what it leaves out of them and has a default, as the fields of inputs say it. */
function withDefaults(type: GraphQLInputType, value: unknown): unknown {
  const given = getNullableType(type);
  if (isListType(given)) return Array.isArray(value) ? value.map((one) => withDefaults(given.ofType, one)) : value;
  if (!isInputObjectType(given) || !isJsonObject(value)) return value;
  const said = Object.values(given.getFields()).flatMap(({ name, type: of, extensions: { configured = {} } }) => {
    const one = value[name] ?? ('default' in configured ? configured.default : null);
    return one === null ? [] : [[name, withDefaults(of, one)] as const];
  });
  return Object.fromEntries(said);
}

/** Gives an object what a value says nothing of, and is then kept. */
function keepingRest(type: GraphQLInputType, value: unknown, kept: unknown): unknown {
  if (!isInputObjectType(getNullableType(type)) || !isJsonObject(value) || !isJsonObject(kept)) return value;
  return { ...kept, ...present(value) };
}

/** Leaves out what has its default. */
export function brief(fields: readonly ConfiguredField[], values: JsonObject): JsonObject {
  return Object.fromEntries(
    fields.flatMap(({ name, type, isSecret, default: without }) => {
      const value = values[name];
      if (value == null || isSecret) return [];
      return without !== undefined && canonical(without) === canonical(value)
        ? []
        : [[name, withoutDefaults(type, value)] as const];
    }),
  );
}

/** Leaves what has its default out of objects inside a value. */
function withoutDefaults(type: GraphQLInputType, value: unknown): unknown {
  const given = getNullableType(type);
  if (isListType(given)) return Array.isArray(value) ? value.map((one) => withoutDefaults(given.ofType, one)) : value;
  if (!isInputObjectType(given) || !isJsonObject(value)) return value;
  const fields = given.getFields();
  const kept = Object.entries(value).filter(([name, one]) => {
    const { configured = {} } = fields[name]?.extensions ?? {};
    return one !== null && !('default' in configured && canonical(configured.default) === canonical(one));
  });
  return Object.fromEntries(kept);
}

/** Returns the secrets that a document says, as text by which it is told whether it says others; null if it says none. */
export function secretsIn(
  said: readonly { readonly name: string; readonly fields: readonly ConfiguredField[]; readonly values: JsonObject }[],
): string | null {
  const secrets = said.flatMap(({ name, fields, values }) =>
    fields.flatMap((field) =>
      field.isSecret && values[field.name] != null ? [[`${name}.${field.name}`, values[field.name]]] : [],
    ),
  );
  return secrets.length === 0 ? null : canonical(secrets);
}

/** Returns text that is equal for values that an object cannot tell apart. */
function comparable({ type }: ConfiguredField, value: unknown): string {
  if (getNamedType(type).name === 'DateTime' && typeof value === 'string') {
    const ms = Date.parse(value);
    return Number.isNaN(ms) ? value : String(Math.floor(ms / 1_000));
  }
  return canonical(value);
}

/** Leaves out what is null, which inputs take as not given. */
export function present(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
