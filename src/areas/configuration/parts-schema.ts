// Documents that are too large to be sent as one value, which come as the JSON texts of their parts: each is parsed in a turn of its own.

import type { Steps } from '../../domain/concurrency/steps.ts';
import { invalid, type SallyportError } from '../../domain/errors.ts';
import { isJsonObject } from '../../domain/values/json.ts';
import { readJson } from '../../domain/values/json-text.ts';
import { getOrInsertComputed } from '../../domain/values/maps.ts';
import { countingObjects } from './rules.ts';

/** Returns the error for what is no document, nor its parts. */
export function noDocument(): SallyportError {
  return invalid('document', 'must be an object with the collections of the configuration.');
}

/** Most parts of a document. */
const partsMax = 1_000;
/** Most names at the top of a document, of its collections and others, that are put together: far more than there are. */
const namesMax = 100;

/** Bytes from which on a part is complete: with the shortest names, it has fewer different keys than one value may have. */
const partBytes = 24_576;

/**
 * Puts a document together whose parts are given, each with some of its objects; returns any other value as it is.
 *
 * @throws INVALID_INPUT for what is no part, and for an object in two parts; QUERY_TOO_COMPLEX for more objects than a document can
 *   have, before they are put together; as `readJson`
 */
export function* wholeOf(given: unknown): Steps<unknown> {
  if (!Array.isArray(given)) return given;
  // Not a document of nothing, by which `prune` would delete all.
  if (given.length === 0) throw noDocument();
  if (given.length > partsMax) throw invalid('document', `must have at most ${partsMax} parts.`);
  // Maps, because a key may be `__proto__`.
  const collections = new Map<string, Map<string, unknown>>();
  const others = new Map<string, unknown>();
  const count = countingObjects(namesMax);
  for (const [index, text] of given.entries()) {
    const at = `document[${index}]`;
    if (typeof text !== 'string') throw invalid(at, 'must be the JSON text of a part of the document.');
    const part = readJson(`The part ${at}`, text);
    if (!isJsonObject(part)) throw invalid(at, 'must be an object with collections of the configuration.');
    for (const [name, value] of Object.entries(part)) {
      if (!isJsonObject(value)) {
        if (!others.has(name)) count(1);
        others.set(name, value);
        continue;
      }
      if (!collections.has(name)) count(1);
      const objects = getOrInsertComputed(collections, name, () => new Map<string, unknown>());
      for (const [own, described] of Object.entries(value)) {
        if (objects.has(own)) throw invalid(`${name}.${own}`, 'is in two parts of the document.');
        count(1);
        objects.set(own, described);
      }
    }
    yield;
  }
  const described = [...collections].map(([name, objects]) => [name, Object.fromEntries(objects)] as const);
  return Object.fromEntries([...others, ...described]);
}

/** Divides a document into parts to send: itself if it is small. Throws INVALID_INPUT for what is no document. */
export function partsOf(document: unknown): unknown {
  if (!isJsonObject(document)) throw noDocument();
  if (JSON.stringify(document).length <= partBytes) return document;
  const entries = Object.entries(document);
  // With the empty collections, whose names are checked as well.
  const isWhole = (value: unknown) => !isJsonObject(value) || Object.keys(value).length === 0;
  const parts = [Object.fromEntries(entries.filter(([, value]) => isWhole(value)))].map((each) => JSON.stringify(each));
  const part = new Map<string, Map<string, unknown>>();
  let bytes = 0;
  const end = () => {
    parts.push(JSON.stringify(Object.fromEntries([...part].map(([name, own]) => [name, Object.fromEntries(own)]))));
    part.clear();
    bytes = 0;
  };
  for (const [collection, objects] of entries) {
    if (!isJsonObject(objects)) continue;
    for (const [name, described] of Object.entries(objects)) {
      getOrInsertComputed(part, collection, () => new Map<string, unknown>()).set(name, described);
      bytes += name.length + JSON.stringify(described ?? null).length;
      if (bytes >= partBytes) end();
    }
  }
  if (part.size > 0) end();
  return parts;
}
