// Replaces what a document says as `env:` and `file:` by the text that it stands for.

import { isJsonObject } from '../../domain/values/json.ts';
import { isNotResolved } from './entries-schema.ts';
import type { ConfiguredField, ConfiguredKind } from './kind-schema.ts';

/** Reads a variable or a file that a document names at a place. */
export type ReadText = (named: { readonly env: string } | { readonly file: string }, path: string) => string;

/** Returns a document with texts in place of the variables and files that it names. What is wrong with it otherwise stays. */
export function withTexts(kinds: readonly ConfiguredKind[], document: unknown, read: ReadText): unknown {
  const inFields = (fields: readonly ConfiguredField[], key: string, value: unknown, path: string) => {
    const field = fields.find(({ name }) => name === key);
    return field !== undefined && isNotResolved(field.type, value) ? read(value, path) : value;
  };
  const inObject = (value: unknown, path: string, change: (key: string, one: unknown, path: string) => unknown) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(key, one, `${path}.${key}`)]))
      : value;
  const inCollection = (kind: ConfiguredKind, value: unknown, path: string): unknown =>
    inObject(value, path, (_name, object, at) =>
      inObject(object, at, (key, one, place) => {
        const module = kind.modules.find(({ name }) => name === key);
        const part = kinds.find(({ whole, collection }) => whole === kind.kind && collection === key);
        if (part !== undefined) return inCollection(part, one, place);
        if (module === undefined) return inFields(kind.fields, key, one, place);
        const inModule = (entry: unknown, index: string) =>
          inObject(entry, `${place}${index}`, (name, inner, inside) => inFields(module.fields, name, inner, inside));
        return Array.isArray(one) ? one.map((entry, index) => inModule(entry, `[${index}]`)) : inModule(one, '');
      }),
    );
  return inObject(document, '', (key, value) => {
    const kind = kinds.find(({ whole, collection }) => whole === null && collection === key);
    return kind === undefined ? value : inCollection(kind, value, key);
  });
}
