// Replaces what a document says as `env:` and `file:` by the text that it stands for.

import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isScalarType,
} from 'graphql';
import { isJsonObject } from '../../domain/values/json.ts';
import type { ConfiguredField, ConfiguredKind } from './kind-schema.ts';

/** Reads a variable or a file that a document names at a path. */
export type ReadText = (named: { readonly env: string } | { readonly file: string }, path: string) => string;

/** Returns a document with texts in place of the variables and files that it names. What is wrong with it otherwise stays. */
export function withTexts(kinds: readonly ConfiguredKind[], document: unknown, read: ReadText): unknown {
  const inFields = (fields: readonly ConfiguredField[], key: string, value: unknown, path: string) => {
    const field = fields.find(({ name }) => name === key);
    return field === undefined ? value : withResolved(field.type, value, path, read);
  };
  const inObject = (value: unknown, path: string, change: (key: string, one: unknown, path: string) => unknown) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(key, one, `${path}.${key}`)]))
      : value;
  const inOne = (kind: ConfiguredKind, object: unknown, at: string): unknown =>
    inObject(object, at, (key, one, path) => {
      const module = kind.modules.find(({ name }) => name === key);
      const part = kinds.find(({ whole, collection }) => whole === kind.kind && collection === key);
      if (part !== undefined) return inCollection(part, one, path);
      if (module === undefined) return inFields(kind.fields, key, one, path);
      const inModule = (entry: unknown, index: string) =>
        inObject(entry, `${path}${index}`, (name, inner, inside) => inFields(module.fields, name, inner, inside));
      return Array.isArray(one) ? one.map((entry, index) => inModule(entry, `[${index}]`)) : inModule(one, '');
    });
  const inCollection = (kind: ConfiguredKind, value: unknown, path: string): unknown =>
    inObject(value, path, (_name, object, at) => inOne(kind, object, at));
  return inObject(document, '', (key, value) => {
    const kind = kinds.find(({ whole, collection }) => whole === null && collection === key);
    if (kind === undefined) return value;
    return kind.isSingle ? inOne(kind, value, key) : inCollection(kind, value, key);
  });
}

/** Returns whether a value names a variable or a file, which stands for text. */
function isNotResolved(type: GraphQLInputType, value: unknown): value is { env: string } | { file: string } {
  const named = getNamedType(type);
  if (!isScalarType(named) || named.name === 'JSON' || isListType(getNullableType(type)) || !isJsonObject(value))
    return false;
  const [key, ...others] = Object.keys(value);
  return (key === 'env' || key === 'file') && others.length === 0 && typeof value[key] === 'string';
}

/** Returns where in a value a variable or a file is named, which stands for text; null if nowhere. */
export function pathNotResolved(type: GraphQLInputType, value: unknown, path: string): string | null {
  if (isNotResolved(type, value)) return path;
  return (
    innerValues(type, value)
      .map(({ type: inner, value: one, step }) => pathNotResolved(inner, one, `${path}${step}`))
      .find((found) => found !== null) ?? null
  );
}

/** Returns the values inside a value of an input type, with the steps that lead to them: `.idpMetadata`, `[0]`. */
function innerValues(type: GraphQLInputType, value: unknown) {
  const given = getNullableType(type);
  if (isListType(given) && Array.isArray(value)) {
    return value.map((one: unknown, index) => ({ type: given.ofType, value: one, step: `[${index}]`, key: index }));
  }
  if (!isInputObjectType(given) || !isJsonObject(value)) return [];
  const fields = given.getFields();
  return Object.entries(value).flatMap(([key, one]) => {
    const field = fields[key];
    return field === undefined ? [] : [{ type: field.type, value: one, step: `.${key}`, key }];
  });
}

/** Replaces what a value names as a variable or a file, as deep as it goes. */
function withResolved(type: GraphQLInputType, value: unknown, path: string, read: ReadText): unknown {
  if (isNotResolved(type, value)) return read(value, path);
  const inner = innerValues(type, value).map(
    ({ type: of, value: one, step, key }) => [key, withResolved(of, one, `${path}${step}`, read)] as const,
  );
  if (Array.isArray(value)) return inner.length === 0 ? value : inner.map(([, one]) => one);
  return isJsonObject(value) ? { ...value, ...Object.fromEntries(inner) } : value;
}
