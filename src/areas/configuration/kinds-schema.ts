// What documents of the configuration can describe: every kind of object that has mutations to create and delete it, with the fields of
// its inputs, its modules and its parts. All of it is derived from the GraphQL schema, so that a new field or area appears without being
// named here.

import type { GraphQLSchema } from 'graphql';
import { areaOf, isKind, type Kind, kinds } from '../../domain/values/ids.ts';
import { createReader } from './deriving-schema.ts';
import type { ConfiguredKind } from './kind-schema.ts';
import { whyNotConfigured } from './rules.ts';

const known = new WeakMap<GraphQLSchema, readonly ConfiguredKind[]>();

/** Returns the kinds that documents describe: wholes before their parts, and each after those that it refers to. */
export function configuredKinds(schema: GraphQLSchema): readonly ConfiguredKind[] {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const reader = createReader(schema);
  const names = Object.keys(kinds)
    .filter(isKind)
    .filter((kind) => isConfigured(kind) && reader.isDescribed(kind));
  const found = inOrder(names.flatMap((kind) => reader.readKind(kind) ?? []));
  known.set(schema, found);
  return found;
}

function isConfigured(kind: Kind): boolean {
  return areaOf(kind) !== null && whyNotConfigured(kind) === null;
}

/** Sorts kinds so that each comes after those that it refers to. Kinds that refer to each other keep their order. */
function inOrder(all: readonly ConfiguredKind[]): ConfiguredKind[] {
  const ordered: ConfiguredKind[] = [];
  const waiting = [...all];
  while (waiting.length > 0) {
    const isFree = ({ kind, whole, fields, modules }: ConfiguredKind) => {
      const named = [whole, ...[...fields, ...modules.flatMap((module) => module.fields)].map((one) => one.refersTo)];
      return named.every((other) => other === kind || !waiting.some((one) => one.kind === other));
    };
    const at = Math.max(0, waiting.findIndex(isFree));
    ordered.push(...waiting.splice(at, 1));
  }
  return ordered;
}
