// Reads what an account has configured, through the fields of the GraphQL schema, in the form in which documents describe it.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DocumentNode, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { createTimedPauses } from '../../domain/concurrency/pauses.ts';
import { SallyportError } from '../../domain/errors.ts';
import type { Kind } from '../../domain/values/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts';
import { executeByPlan } from '../../graphql/execution/execution.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { pageSizeMax } from '../../load/limits.ts';
import { selectionsOf, wholeIdIn } from './deriving-schema.ts';
import type { ConfiguredField, ConfiguredKind, ConfiguredModule, Found } from './kind-schema.ts';

/** An object as documents describe it, with ids instead of names. */
export interface ConfiguredState {
  readonly kind: ConfiguredKind;
  readonly id: string;
  readonly version: number;
  readonly wholeId: string | null;
  readonly values: JsonObject;
  /** What it has that documents cannot have. */
  readonly untold: ConfiguredKind['untold'];
  /** A module has one entry, or none if it is not set; a list has any number. */
  readonly modules: ReadonlyMap<ConfiguredModule, readonly JsonObject[]>;
}

/** Executes a document of ours, and returns its data. */
export type Run = (document: string, variables?: Readonly<Record<string, unknown>>) => Promise<Found>;

const parsed = new Map<string, DocumentNode>();

/**
 * Creates the function that executes documents of ours in a context. It throws the first error of a result, and the reason of the
 * signal of the context. All of it may be in this thread, so it lets other work go before it.
 */
export function createRun(context: Context): Run {
  const pauses = createTimedPauses();
  return async (text, variables = {}) => {
    const document = parsed.get(text) ?? parse(text, { noLocation: true });
    // There are a few for each kind.
    parsed.set(text, document);
    if (pauses.due()) await nextTurn();
    context.signal().throwIfAborted();
    const { data, errors: [error] = [] } = await executeByPlan(document, variables, context);
    if (error instanceof GraphQLError) throw error.originalError ?? error;
    return data ?? {};
  };
}

/** Reads a value that may hold objects without prototypes, as GraphQL makes them, as JSON. */
function asJson(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asJson(one)]));
}

function valuesIn(fields: readonly ConfiguredField[], found: Found): JsonObject {
  return Object.fromEntries(
    fields.flatMap((field) => (field.selection === null ? [] : [[field.name, asJson(field.read(found))] as const])),
  );
}

/** Reads the state of an object from what the selection of its kind has found. Its lists are read by themselves. */
export function stateIn(
  kind: ConfiguredKind,
  found: Found,
  lists: ConfiguredState['modules'] = new Map(),
): ConfiguredState {
  const modules = new Map<ConfiguredModule, readonly JsonObject[]>();
  for (const module of kind.modules) {
    if (module.listField !== null) modules.set(module, lists.get(module) ?? []);
    else {
      const one = found[module.name];
      modules.set(module, isFound(one) ? [valuesIn(module.fields, one)] : []);
    }
  }
  return {
    kind,
    id: String(found.id),
    version: Number(found.version),
    wholeId: wholeIdIn(found, kind),
    values: valuesIn(kind.fields, found),
    untold: kind.untold.filter(({ name }) => found[name] != null),
    modules,
  };
}

function isFound(value: unknown): value is Found {
  return typeof value === 'object' && value !== null;
}

/**
 * Reads all objects of the kinds that documents describe, by their ids, oldest first.
 *
 * @param kinds wholes before their parts
 * @param objectsMax most objects, counting the entries of lists
 * @throws QUERY_TOO_COMPLEX for more, as soon as it has read so many
 */
export async function readState(
  run: Run,
  kinds: readonly ConfiguredKind[],
  schema: GraphQLSchema,
  objectsMax = Number.POSITIVE_INFINITY,
): Promise<Map<string, ConfiguredState>> {
  const states = new Map<string, ConfiguredState>();
  let objects = 0;
  const count = (more: number) => {
    objects += more;
    if (objects <= objectsMax) return;
    throw new SallyportError(
      'QUERY_TOO_COMPLEX',
      `The account has more than ${objectsMax} objects, counting rules: more than a document can describe.`,
    );
  };
  for (const kind of kinds) {
    if (kind.isSingle) {
      const { one } = await run(`{ one: ${kind.query} { ${kind.selection} } }`);
      if (isFound(one)) states.set(String(one.id), stateIn(kind, one));
      continue;
    }
    const wholes = [...states.values()].filter((state) => state.kind.kind === kind.whole);
    const lists = await readLists(run, kind, schema, count);
    const argument = kind.wholeArgument;
    const found: ConfiguredState[] = [];
    const keep = (one: Found) => {
      const own = new Map([...lists].map(([module, byWhole]) => [module, byWhole.get(String(one.id)) ?? []]));
      found.push(stateIn(kind, one, own));
    };
    for (const whole of argument === null ? [null] : wholes) {
      const given = argument === null || whole === null ? '' : `${argument}: $whole, `;
      const variables = whole === null ? {} : { whole: whole.id };
      const head = given === '' ? '' : '$whole: ID!, ';
      const text = `query (${head}$after: ID) { list: ${kind.query}(${given}first: ${pageSizeMax}, after: $after) { pageInfo { hasNextPage endCursor } edges { node { ${kind.selection} } } } }`;
      await readPages(run, text, variables, count, keep);
    }
    found.sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const state of found) states.set(state.id, state);
  }
  return states;
}

/** Reads the entries of the lists of a kind, by the id of the object that they belong to. */
async function readLists(run: Run, kind: ConfiguredKind, schema: GraphQLSchema, count: (more: number) => void) {
  const lists = new Map<ConfiguredModule, Map<string, JsonObject[]>>();
  for (const module of kind.modules) {
    const [address] = module.address;
    if (module.listedKind === null || address === undefined) continue;
    const query = queryOf(schema, module.listedKind);
    const whole = address.name.replace(/Id$/, '');
    const text = `query ($after: ID) { list: ${query}(first: ${pageSizeMax}, after: $after) { pageInfo { hasNextPage endCursor } edges { node { whole: ${whole} { id } ${selectionsOf(module.fields)} } } } }`;
    const byWhole = new Map<string, JsonObject[]>();
    await readPages(run, text, {}, count, (one) => {
      const id = isFound(one.whole) ? String(one.whole.id) : '';
      const listed = byWhole.get(id);
      if (listed === undefined) byWhole.set(id, [valuesIn(module.fields, one)]);
      else listed.push(valuesIn(module.fields, one));
    });
    lists.set(module, byWhole);
  }
  return lists;
}

function queryOf(schema: GraphQLSchema, kind: Kind): string {
  const queries = Object.values(schema.getQueryType()?.getFields() ?? {});
  const query = queries.find(({ type }) => String(type) === `${kind}Connection`);
  if (query === undefined) throw new Error(`No query lists objects of the kind ${kind}.`);
  return query.name;
}

/** Reads a list, and hands on what it finds page by page. */
async function readPages(
  run: Run,
  text: string,
  variables: Readonly<Record<string, unknown>>,
  count: (more: number) => void,
  keep: (one: Found) => void,
): Promise<void> {
  for (let after: unknown = null; ; ) {
    const { list } = await run(text, { ...variables, after });
    if (!isFound(list) || !Array.isArray(list.edges) || !isFound(list.pageInfo)) {
      throw new SallyportError('UNAVAILABLE', 'The objects of the account could not be read. Retry in a few seconds.');
    }
    count(list.edges.length);
    for (const edge of list.edges) keep(edge.node);
    if (list.pageInfo.hasNextPage !== true) return;
    after = list.pageInfo.endCursor;
  }
}

/** Returns text that is equal for equal values, whatever the order of their keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const members = Object.entries(value).filter(([, one]) => one !== undefined && one !== null);
  return `{${members
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`)
    .join()}}`;
}
