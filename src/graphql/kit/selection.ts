// The relations that a field must load, given the selection of the document beneath it.

import { queryFromInfo } from '@pothos/plugin-prisma';
import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql';
import type { Selection } from '../../storage/objects/collection.ts';
import type { Context } from './context.ts';

const nothing: Selection = Object.freeze({});

// Fields beneath which no relation is selected, whatever the variables are. This is the most frequent case, which Pothos would
// compute anew for each request. A repeated document is the same object.
const withoutRelations = new WeakSet<FieldNode>();

/**
 * Returns the relations to load with the rows of a field, in Prisma's terms.
 *
 * @param paths where the rows stand in the value of the field, such as `['nodes']`; none when the value is a row itself
 */
export function selectionOf(context: Context, info: GraphQLResolveInfo, ...paths: string[][]): Selection {
  const [field, another] = info.fieldNodes;
  const known = another === undefined ? field : undefined;
  if (known !== undefined && withoutRelations.has(known)) return nothing;
  // Selections are created only here and below. Their type is opaque.
  const selection = queryFromInfo({ context, info, ...(paths.length === 0 ? {} : { paths }) }) as Selection;
  const isEmpty = selection.select === undefined && selection.include === undefined;
  if (isEmpty && known !== undefined && !hasDirectives(known.selectionSet, info)) withoutRelations.add(known);
  return selection;
}

/** Returns the relations to load with the rows of one type, for a field whose type is an interface. */
export function selectionOfType(context: Context, info: GraphQLResolveInfo, typeName: string): Selection {
  // Not cached in `withoutRelations`, because the same field may have rows of other types as well.
  return queryFromInfo({ context, info, typeName }) as Selection;
}

/** Returns whether a document selects any field beneath a field besides those in `names`. Ignores `@skip` and `@include`. */
export function selectsMoreThan(info: GraphQLResolveInfo, names: ReadonlySet<string>): boolean {
  const isMore = (selectionSet: SelectionSetNode | undefined): boolean =>
    (selectionSet?.selections ?? []).some((node) => {
      if (node.kind === 'Field') return !names.has(node.name.value);
      return isMore((node.kind === 'FragmentSpread' ? info.fragments[node.name.value] : node)?.selectionSet);
    });
  return info.fieldNodes.some(({ selectionSet }) => isMore(selectionSet));
}

/** Returns whether a selection holds `@include` or `@skip`, so that it depends on the variables. */
function hasDirectives(selectionSet: SelectionSetNode | undefined, info: GraphQLResolveInfo): boolean {
  return (selectionSet?.selections ?? []).some((node) => {
    if ((node.directives?.length ?? 0) > 0) return true;
    const inner = node.kind === 'FragmentSpread' ? info.fragments[node.name.value] : node;
    return hasDirectives(inner?.selectionSet, info);
  });
}
