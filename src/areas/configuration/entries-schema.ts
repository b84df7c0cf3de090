// Reads a document of the configuration: JSON that describes objects by names of their own, as `kinds-schema.ts` derives it.

import { coerceInputValue, getNullableType } from 'graphql';
import type { Steps } from '../../domain/concurrency/steps.ts';
import { invalid, SallyportError } from '../../domain/errors.ts';
import type { Kind } from '../../domain/values/ids.ts';
import { isIdOf, kindOfId } from '../../domain/values/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts';
import type { ConfiguredField, ConfiguredKind, ConfiguredModule } from './kind-schema.ts';
import { noDocument } from './parts-schema.ts';
import { checkName, countingObjects, documentNameDefault } from './rules.ts';
import { pathNotResolved } from './texts-schema.ts';

/** What a document says of an object. */
export interface Entry {
  readonly kind: ConfiguredKind;
  /** Its name in the document; that of a part begins with the name of its whole and a slash. */
  readonly name: string;
  /** Where it is in the document. */
  readonly path: string;
  readonly whole: Entry | null;
  /** The fields that the document gives, as it gives them. */
  readonly values: JsonObject;
  /** By name, what the document says of each module; of a list, its entries. Those that it leaves out are absent. */
  readonly modules: ReadonlyMap<ConfiguredModule, readonly JsonObject[]>;
}

/** A document that has been read. */
export interface ConfigurationDocument {
  readonly name: string;
  /** Wholes before their parts. */
  readonly entries: readonly Entry[];
}

/** Keys of a document that are no collections: its name, and the JSON Schema by which editors complete it. */
const ofDocument = ['document', '$schema'] as const;

/**
 * Reads a document, an object in each step. References are not looked up yet.
 *
 * @throws INVALID_INPUT and UNKNOWN_FIELD with the path in the document; QUERY_TOO_COMPLEX for more objects than a document can have
 */
export function* readDocument(kinds: readonly ConfiguredKind[], given: unknown): Steps<ConfigurationDocument> {
  if (!isJsonObject(given)) throw noDocument();
  const { document: name = documentNameDefault } = given;
  if (typeof name !== 'string') throw invalid('document', 'must be the name of the document, as text.');
  checkName('document', name);
  const entries: Entry[] = [];
  const count = countingObjects();
  function* readCollection(kind: ConfiguredKind, value: unknown, path: string, whole: Entry | null): Steps<void> {
    if (value === null || value === undefined) return;
    if (!isJsonObject(value)) throw invalid(path, 'must have its objects by their names, as in "office: { ... }".');
    for (const [own, described] of Object.entries(value)) {
      const at = `${path}.${own}`;
      checkName(at, own);
      count(1);
      const entry = readEntry(kind, described ?? {}, whole === null ? own : `${whole.name}/${own}`, at, whole);
      entries.push(entry.entry);
      for (const part of entry.parts)
        yield* readCollection(part.kind, part.value, `${at}.${part.kind.collection}`, entry.entry);
      yield;
    }
  }
  const readEntry = (kind: ConfiguredKind, value: unknown, name: string, path: string, whole: Entry | null) => {
    if (!isJsonObject(value)) throw invalid(path, 'must be an object with fields.');
    const partKinds = kinds.filter((part) => part.whole === kind.kind);
    const modules = new Map<ConfiguredModule, readonly JsonObject[]>();
    const parts: { readonly kind: ConfiguredKind; readonly value: unknown }[] = [];
    const values: Record<string, JsonObject[string]> = {};
    for (const [key, item] of Object.entries(value)) {
      const at = `${path}.${key}`;
      const module = kind.modules.find((one) => one.name === key);
      const part = partKinds.find((one) => one.collection === key);
      const field = kind.fields.find((one) => one.name === key);
      if (module !== undefined) {
        if (item === null) continue;
        const listed = readModule(module, item, at);
        if (module.listField !== null) count(listed.length);
        modules.set(module, listed);
      } else if (part !== undefined) parts.push({ kind: part, value: item });
      else if (field !== undefined) values[key] = readValue(field, item, at);
      else throw unknownField(at, key, [kind.fields, kind.modules, partKinds.map((one) => ({ name: one.collection }))]);
    }
    checkRequired(kind.fields, values, path);
    return { entry: { kind, name, path, whole, values, modules }, parts };
  };
  const rankOf = new Map(kinds.map(({ collection, whole }, index) => [whole === null ? collection : '', index]));
  // In the order of the kinds, in which each comes after those that it names in whatever way.
  const ordered = Object.entries(given).sort(([a], [b]) => (rankOf.get(a) ?? -1) - (rankOf.get(b) ?? -1));
  for (const [key, value] of ordered) {
    if (ofDocument.some((one) => one === key)) continue;
    const kind = kinds.find((one) => one.whole === null && one.collection === key);
    if (kind === undefined) {
      throw unknownField(key, key, [
        ofDocument.map((one) => ({ name: one })),
        kinds.filter(({ whole }) => whole === null).map(({ collection }) => ({ name: collection })),
      ]);
    }
    if (!kind.isSingle) yield* readCollection(kind, value, key, null);
    else if (value !== null) entries.push(readEntry(kind, value, key, key, null).entry);
  }
  return { name, entries };
}

function readModule({ fields, listField }: ConfiguredModule, given: unknown, path: string): JsonObject[] {
  if (listField !== null && !Array.isArray(given)) throw invalid(path, 'must be a list.');
  return [given].flat().map((item, index) => {
    const at = listField === null ? path : `${path}[${index}]`;
    if (!isJsonObject(item)) throw invalid(at, 'must be an object with fields.');
    const values: Record<string, JsonObject[string]> = {};
    for (const [key, value] of Object.entries(item)) {
      const field = fields.find((one) => one.name === key);
      if (field === undefined) throw unknownField(`${at}.${key}`, key, [fields]);
      values[key] = readValue(field, value, `${at}.${key}`);
    }
    checkRequired(fields, values, at);
    return values;
  });
}

/** Checks the type of a value. Names of other objects are resolved later. */
function readValue({ type, refersTo }: ConfiguredField, value: unknown, path: string): JsonObject[string] {
  if (value === null) return null;
  const unresolved = pathNotResolved(type, value, path);
  if (unresolved !== null) {
    throw invalid(unresolved, 'must be text: only the command line reads env: and file:, before it sends a document.');
  }
  let problem: SallyportError | undefined;
  coerceInputValue(value, getNullableType(type), (inner, _value, error) => {
    const at = inner.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    problem ??= invalid(`${path}${at}`, withoutValue(error.message, refersTo));
  });
  if (problem !== undefined) throw problem;
  // A document is JSON, and what it says is too.
  return value as JsonObject[string];
}

/** Says what is wrong with a value without repeating it, because it may be a secret. */
function withoutValue(message: string, refersTo: Kind | null): string {
  if (refersTo !== null) return 'must name an object of this document, or objects in a list.';
  const expected = /Expected ([^"]*?)(?: to be|, found|\.|$)/.exec(message)?.[1];
  const enumeration = /does not exist in "(\w+)" enum/.exec(message)?.[1];
  if (enumeration !== undefined) return `must be a value of ${enumeration}.`;
  return expected === undefined ? `has a value of another type. ${message}` : `has a value of another type: ${message}`;
}

function checkRequired(fields: readonly ConfiguredField[], values: JsonObject, path: string): void {
  const missing = fields.find(({ isRequired, name }) => isRequired && values[name] == null);
  if (missing !== undefined) throw invalid(`${path}.${missing.name}`, 'is required.');
}

function unknownField(
  path: string,
  key: string,
  known: readonly (readonly { readonly name: string }[])[],
): SallyportError {
  const names = known.flat().map(({ name }) => name);
  return new SallyportError('UNKNOWN_FIELD', `is unknown: there is no "${key}" here. Known: ${names.join(', ')}.`, {
    field: path,
  });
}

/** Finds the id of the object that a reference names. */
export type Resolve = (kind: Kind, name: string) => string | undefined;

/**
 * Replaces the names of objects in a value by their ids. Where objects of any kind can be named, text such as `${ipPolicies.office}` is one.
 *
 * @throws UNKNOWN_REFERENCE
 */
export function resolved(
  { refersTo, holdsIds }: Pick<ConfiguredField, 'refersTo' | 'holdsIds'>,
  value: unknown,
  path: string,
  resolve: Resolve,
  kinds: readonly ConfiguredKind[],
): unknown {
  if (refersTo !== null) {
    if (Array.isArray(value)) {
      return value.map((one, index) => idOf(refersTo, String(one), `${path}[${index}]`, resolve, kinds));
    }
    return value === null ? null : idOf(refersTo, String(value), path, resolve, kinds);
  }
  if (!holdsIds) return value;
  return inText(value, (text) => {
    const [, collection, name] = placeholder.exec(text) ?? [];
    const kind = kinds.find((one) => one.whole === null && one.collection === collection);
    return kind === undefined || name === undefined ? text : idOf(kind.kind, name, path, resolve, kinds);
  });
}

const placeholder = /^\$\{(\w+)\.([^}]+)\}$/;

/** Writes the name of an object in free JSON. */
export function placeholderOf(collection: string, name: string): string {
  return `\${${collection}.${name}}`;
}

function idOf(kind: Kind, name: string, path: string, resolve: Resolve, kinds: readonly ConfiguredKind[]): string {
  const id = resolve(kind, name) ?? (isIdOf(kind, name) ? name : undefined);
  if (id !== undefined) return id;
  const { collection = kind } = kinds.find((one) => one.kind === kind) ?? {};
  const which = kindOfId(name) === null ? `"${name}" in ${collection} of this document` : `${kind} "${name}"`;
  throw new SallyportError('UNKNOWN_REFERENCE', `There is no ${which}.`, { field: path });
}

/** Changes all texts in a value. */
export function inText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => inText(one, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inText(one, change)]));
}

/** The names of the objects that an entry refers to, with their kinds. */
export function referencesOf({ kind, values, modules }: Entry): { readonly kind: Kind; readonly name: string }[] {
  const found: { readonly kind: Kind; readonly name: string }[] = [];
  const look = (fields: readonly ConfiguredField[], given: JsonObject) => {
    for (const { name, refersTo } of fields) {
      if (refersTo === null) continue;
      for (const one of [given[name] ?? []].flat()) found.push({ kind: refersTo, name: String(one) });
    }
  };
  look(kind.fields, values);
  for (const [module, listed] of modules) for (const given of listed) look(module.fields, given);
  return found;
}
