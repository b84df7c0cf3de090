// Writes what an account has configured as a document, from which another account can be given the same.

import type { GraphQLSchema } from 'graphql';
import type { JsonObject } from '../../domain/values/json.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { brief } from './comparing-schema.ts';
import { holdsJson, inText, placeholderOf } from './entries-schema.ts';
import type { ConfiguredField, ConfiguredKind, ConfiguredModule } from './kind-schema.ts';
import { configuredKinds } from './kinds-schema.ts';
import { readNames } from './names-store.ts';
import { createNaming } from './naming-schema.ts';
import { inDraft, withDraft } from './plan-schema.ts';
import { type ConfiguredState, canonical, readState } from './state-schema.ts';

/** An exported document. */
export interface Exported {
  readonly document: JsonObject;
  /** What the document cannot have: places in it, with what is missing there. */
  readonly missing: readonly { readonly path: string; readonly why: string }[];
}

/** Exports all that an account has and documents can describe. The same account gives the same document each time. */
export function exportDocument(context: Context, schema: GraphQLSchema): Promise<Exported> {
  return withDraft(context, schema, async (draft) => {
    const kinds = configuredKinds(schema);
    const { scope, run } = inDraft(draft, context);
    const states = await readState(run, kinds, schema);
    return writeDocument(kinds, states, createNaming(kinds, states, await readNames(scope)));
  });
}

function writeDocument(
  kinds: readonly ConfiguredKind[],
  states: ReadonlyMap<string, ConfiguredState>,
  naming: ReturnType<typeof createNaming>,
): Exported {
  const missing: { path: string; why: string }[] = [];
  const collectionOf = new Map(
    kinds.filter(({ whole }) => whole === null).map(({ kind, collection }) => [kind, collection]),
  );
  const nameOf = (id: string) => naming.nameOf(id);

  const valuesOf = (fields: readonly ConfiguredField[], values: JsonObject, path: string): JsonObject => {
    const shown = Object.entries(brief(fields, values)).map(([name, value]) => {
      const field = fields.find((one) => one.name === name);
      return [name, field === undefined ? value : written(field, value, `${path}.${name}`)] as const;
    });
    for (const { name, isSecret, selection } of fields) {
      if (isSecret) missing.push({ path: `${path}.${name}`, why: 'is a secret, which is never shown' });
      else if (selection === null) missing.push({ path: `${path}.${name}`, why: 'is not kept' });
    }
    return Object.fromEntries(shown);
  };

  const written = ({ type, refersTo }: ConfiguredField, value: unknown, path: string): unknown => {
    if (refersTo !== null) {
      if (!Array.isArray(value)) return nameOf(String(value)) ?? value;
      return value.flatMap((one: unknown) => {
        const name = nameOf(String(one));
        if (name === undefined) missing.push({ path, why: `also names ${String(one)}, which has been deleted` });
        return name ?? [];
      });
    }
    if (!holdsJson(type)) return value;
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

  const objectsOf = (kind: ConfiguredKind, wholeId: string | null, path: string): JsonObject => {
    const own = [...states.values()].filter((state) => state.kind === kind && state.wholeId === wholeId);
    const named = own.map((state) => ({ state, name: (nameOf(state.id) ?? state.id).split('/').at(-1) ?? '' }));
    named.sort((a, b) => (a.name < b.name ? -1 : 1));
    return Object.fromEntries(named.map(({ state, name }) => [name, objectOf(state, `${path}.${name}`)]));
  };

  const objectOf = (state: ConfiguredState, path: string): JsonObject => {
    const modules = state.kind.modules.map((module) => {
      return [module.name, moduleOf(module, state.modules.get(module) ?? [], path)] as const;
    });
    const parts = kinds
      .filter(({ whole }) => whole === state.kind.kind)
      .map((part) => [part.collection, objectsOf(part, state.id, `${path}.${part.collection}`)] as const);
    return Object.fromEntries([
      ...Object.entries(valuesOf(state.kind.fields, state.values, path)),
      ...modules.filter(([, value]) => value !== undefined),
      ...parts.filter(([, objects]) => Object.keys(objects).length > 0),
    ]);
  };

  const collections = kinds
    .filter(({ whole }) => whole === null)
    .map((kind) => [kind.collection, objectsOf(kind, null, kind.collection)] as const)
    .filter(([, objects]) => Object.keys(objects).length > 0);
  return { document: Object.fromEntries(collections), missing };
}
