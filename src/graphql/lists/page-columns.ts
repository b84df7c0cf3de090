// The columns that a document needs of the objects of a page: reading and converting the others takes as long as answering these.

import {
  type FragmentSpreadNode,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  getNamedType,
  type InlineFragmentNode,
  Kind,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import { getOrInsertComputed } from '../../domain/values/maps.ts';
import type { ResourceModel } from '../../storage/objects/collection.ts';
import type { Context } from '../kit/context.ts';
import { fieldOf } from '../kit/fields.ts';
import { isCountedProperty } from '../wrappers/counting.ts';
import { createChoices } from './page-choices.ts';

const choicesOf = createChoices(() => performance.now());
// A repeated document is the same object.
const known = new WeakMap<SelectionSetNode, Map<ResourceModel, readonly string[] | null>>();

/**
 * Returns the columns of a page of a kind that answer all that a document selects of its objects, the id and that of the order
 * included; undefined for all columns, if a field does not say what it reads. Ignores `@skip` and `@include`.
 */
export function columnsOfPage(
  kind: ResourceModel,
  order: string | undefined,
  info: GraphQLResolveInfo,
  { untrustedDocument }: Context,
): readonly string[] | undefined {
  const [{ selectionSet } = {}, other] = info.fieldNodes;
  if (selectionSet === undefined || other !== undefined) return undefined;
  const byKind = known.get(selectionSet) ?? new Map<ResourceModel, readonly string[] | null>();
  known.set(selectionSet, byKind);
  const selected = getOrInsertComputed(byKind, kind, () => selectedIn(selectionSet, kind, info));
  if (selected === null) return undefined;
  const columns = order === undefined || selected.includes(order) ? selected : [...selected, order];
  if (!untrustedDocument) return columns;
  return choicesOf(kind)(columns.join()) ? columns : undefined;
}

function selectedIn(selectionSet: SelectionSetNode, kind: ResourceModel, info: GraphQLResolveInfo): string[] | null {
  const ofRow = info.schema.getType(kind);
  if (ofRow === undefined) return null;
  const found = new Set(['id']);
  const visitRow = ({ selections }: SelectionSetNode): boolean =>
    selections.every((node) => {
      if (node.kind !== Kind.FIELD) return visitRow(fragmentOf(node, info));
      const columns = columnsBehind(ofRow, node.name.value);
      // Every row has that of its account without reading it.
      for (const column of columns ?? []) if (column !== 'accountId') found.add(column);
      return columns !== undefined;
    });
  const visitPage = ({ selections }: SelectionSetNode, type: GraphQLNamedType): boolean =>
    selections.every((node) => {
      if (node.kind !== Kind.FIELD) return visitPage(fragmentOf(node, info), type);
      const field = fieldOf(type, node.name.value);
      if (field === undefined) return false;
      if (node.selectionSet === undefined) return true;
      const inner = getNamedType(field.type);
      return inner === ofRow ? visitRow(node.selectionSet) : visitPage(node.selectionSet, inner);
    });
  return visitPage(selectionSet, getNamedType(info.returnType)) ? [...found].sort() : null;
}

/** Returns the columns that a field of a row shows; undefined if that is unknown. */
export function columnsBehind(ofRow: GraphQLNamedType, name: string): readonly string[] | undefined {
  const field = fieldOf(ofRow, name);
  if (field === undefined) return undefined;
  // The id is always read.
  if (field === TypeNameMetaFieldDef || name === 'id') return [];
  const { columns, pothosExposedField } = field.extensions;
  if (typeof pothosExposedField === 'string') return [pothosExposedField];
  if (field.resolve === undefined || isCountedProperty(field)) return [name];
  // Safe cast: only `ofColumns` declares them.
  return columns as readonly string[] | undefined;
}

/** Returns the selections of a fragment. A valid document has every fragment that it spreads. */
function fragmentOf(node: FragmentSpreadNode | InlineFragmentNode, info: GraphQLResolveInfo): SelectionSetNode {
  const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : info.fragments[node.name.value];
  return fragment?.selectionSet ?? { kind: Kind.SELECTION_SET, selections: [] };
}
