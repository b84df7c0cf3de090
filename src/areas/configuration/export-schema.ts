// Writes what an account has configured as a document, from which another account can be given the same.

import type { GraphQLSchema } from 'graphql';
import { inTurns, type Steps } from '../../domain/concurrency/steps.ts';
import type { JsonObject } from '../../domain/values/json.ts';
import { groupBy } from '../../domain/values/maps.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { brief } from './comparing-schema.ts';
import { inDraft, withDraft } from './draft-schema.ts';
import { inText, placeholderOf } from './entries-schema.ts';
import type { ConfiguredField, ConfiguredKind, ConfiguredModule } from './kind-schema.ts';
import { configuredKinds } from './kinds-schema.ts';
import { namesInUse, readNames } from './names-store.ts';
import { createNaming, type Naming } from './naming-schema.ts';
import { documentObjectsMax } from './rules.ts';
import { type ConfiguredState, canonical, readState } from './state-schema.ts';

/** An exported document. */
export interface Exported {
  readonly document: JsonObject;
  /** What the document cannot have: paths in it, with what is missing there. */
  readonly missing: readonly { readonly path: string; readonly why: string }[];
}

/**
 * Exports all that an account has and documents can describe. The same account gives the same document each time.
 *
 * @throws QUERY_TOO_COMPLEX if the account has more objects than a document can describe
 */
export function exportDocument(context: Context, schema: GraphQLSchema): Promise<Exported> {
  return withDraft(context, schema, async (draft, ends) => {
    const kinds = configuredKinds(schema);
    const { scope, run } = inDraft(draft, context, ends);
    const states = await readState(run, kinds, schema, documentObjectsMax);
    const names = namesInUse(await readNames(scope));
    const written = (function* () {
      return yield* writeDocument(kinds, states, yield* createNaming(kinds, states, names));
    })();
    return inTurns(context.scope.accountId, written, ends);
  });
}

/** Writes a document, an object in each step. */
export function* writeDocument(
  kinds: readonly ConfiguredKind[],
  states: ReadonlyMap<string, ConfiguredState>,
  naming: Naming,
): Steps<Exported> {
  const missing: { path: string; why: string }[] = [];
  const collectionOf = new Map(
    kinds.filter(({ whole }) => whole === null).map(({ kind, collection }) => [kind, collection]),
  );
  const nameOf = (id: string) => naming.nameOf(id);
  const ownOf = groupBy(states.values(), ({ kind, wholeId }) => `${kind.kind} ${wholeId ?? ''}`);
  const partsOf = groupBy(kinds, ({ whole }) => whole);

  const valuesOf = (fields: readonly ConfiguredField[], values: JsonObject, path: string): JsonObject => {
    const shown = Object.entries(brief(fields, values)).map(([name, value]) => {
      const field = fields.find((one) => one.name === name);
      return [name, field === undefined ? value : written(field, value, `${path}.${name}`)] as const;
    });
    for (const { name, isSecret, selection, unless } of fields) {
      if (unless !== null && values[unless] != null) continue;
      if (isSecret) missing.push({ path: `${path}.${name}`, why: 'is a secret, which is never shown' });
      else if (selection === null) missing.push({ path: `${path}.${name}`, why: 'is not kept' });
    }
    return Object.fromEntries(shown);
  };

  const written = ({ holdsIds, refersTo }: ConfiguredField, value: unknown, path: string): unknown => {
    if (refersTo !== null) {
      if (!Array.isArray(value)) return nameOf(String(value)) ?? value;
      return value.flatMap((one: unknown) => {
        const name = nameOf(String(one));
        if (name === undefined) missing.push({ path, why: `also names ${String(one)}, which has been deleted` });
        return name ?? [];
      });
    }
    if (!holdsIds) return value;
    return inText(value, (text) => {
      const state = states.get(text);
      const collection = state === undefined ? undefined : collectionOf.get(state.kind.kind);
      const name = nameOf(text);
      return collection === undefined || name === undefined ? text : placeholderOf(collection, name);
    });
  };

  const moduleOf = (module: ConfiguredModule, listed: readonly JsonObject[], path: string): unknown => {
    const at = `${path}.${module.name}`;
    if (module.listField === null) return listed[0] === undefined ? undefined : valuesOf(module.fields, listed[0], at);
    const entries = listed.map((values) => valuesOf(module.fields, values, at));
    if (entries.length === 0) return undefined;
    const [first] = module.fields;
    const orderOf = (values: JsonObject) => canonical([values[first?.name ?? ''], values]);
    return entries
      .map((values) => ({ values, order: orderOf(values) }))
      .sort((a, b) => (a.order < b.order ? -1 : 1))
      .map(({ values }) => values);
  };

  function* objectsOf(kind: ConfiguredKind, wholeId: string | null, path: string): Steps<JsonObject> {
    const own = ownOf.get(`${kind.kind} ${wholeId ?? ''}`) ?? [];
    const named = own.map((state) => ({ state, name: (nameOf(state.id) ?? state.id).split('/').at(-1) ?? '' }));
    named.sort((a, b) => (a.name < b.name ? -1 : 1));
    const objects: [string, JsonObject][] = [];
    for (const { state, name } of named) {
      objects.push([name, yield* objectOf(state, `${path}.${name}`)]);
      yield;
    }
    return Object.fromEntries(objects);
  }

  function* objectOf(state: ConfiguredState, path: string): Steps<JsonObject> {
    for (const { name, why } of state.untold) missing.push({ path: `${path}.${name}`, why });
    const modules = state.kind.modules.map((module) => {
      return [module.name, moduleOf(module, state.modules.get(module) ?? [], path)] as const;
    });
    const parts: [string, JsonObject][] = [];
    for (const part of partsOf.get(state.kind.kind) ?? []) {
      parts.push([part.collection, yield* objectsOf(part, state.id, `${path}.${part.collection}`)]);
    }
    return Object.fromEntries([
      ...Object.entries(valuesOf(state.kind.fields, state.values, path)),
      ...modules.filter(([, value]) => value !== undefined),
      ...parts.filter(([, objects]) => Object.keys(objects).length > 0),
    ]);
  }

  const collections: [string, JsonObject][] = [];
  for (const kind of partsOf.get(null) ?? []) {
    const [single] = kind.isSingle ? (ownOf.get(`${kind.kind} `) ?? []) : [];
    const objects =
      single === undefined
        ? yield* objectsOf(kind, null, kind.collection)
        : valuesOf(kind.fields, single.values, kind.collection);
    if (Object.keys(objects).length > 0) collections.push([kind.collection, objects]);
  }
  return { document: Object.fromEntries(collections), missing };
}
