// What a field has to load for what a document selects beneath it.

import { queryFromInfo } from '@pothos/plugin-prisma';
import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql';
import type { Selection } from '../storage/collection.ts';
import type { Context } from './context.ts';

const nothing: Selection = Object.freeze({});

// Fields beneath which no relation is selected, whatever the variables are. Pothos finds that out anew for each request,
// and to find nothing is the most frequent case. Documents that come again are the same objects.
const withoutRelations = new WeakSet<FieldNode>();

/**
 * Gives the relations to load with the rows of a field, in Prisma's terms.
 *
 * @param paths where the rows stand in the value of the field, such as `['nodes']`; none when the value is a row itself
 */
export function selectionOf(context: Context, info: GraphQLResolveInfo, ...paths: string[][]): Selection {
  const [field, another] = info.fieldNodes;
  const known = another === undefined ? field : undefined;
  if (known !== undefined && withoutRelations.has(known)) return nothing;
  // The one place where a selection is made. Its type does not say what is in it.
  const selection = queryFromInfo({ context, info, ...(paths.length === 0 ? {} : { paths }) }) as Selection;
  const isEmpty = selection.select === undefined && selection.include === undefined;
  if (isEmpty && known !== undefined && !hasDirectives(known.selectionSet, info)) withoutRelations.add(known);
  return selection;
}

/** Gives the relations to load with the rows of one type, of a field whose type is an interface. */
export function selectionOfType(context: Context, info: GraphQLResolveInfo, typeName: string): Selection {
  // As above; not kept, because the same field may give rows of other types as well.
  return queryFromInfo({ context, info, typeName }) as Selection;
}

/** Tells whether a document selects anything beneath a field but the fields of some names. Directives are taken to leave all in. */
export function selectsMoreThan(info: GraphQLResolveInfo, names: ReadonlySet<string>): boolean {
  const isMore = (selectionSet: SelectionSetNode | undefined): boolean =>
    (selectionSet?.selections ?? []).some((node) => {
      if (node.kind === 'Field') return !names.has(node.name.value);
      return isMore((node.kind === 'FragmentSpread' ? info.fragments[node.name.value] : node)?.selectionSet);
    });
  return info.fieldNodes.some(({ selectionSet }) => isMore(selectionSet));
}

/** Tells whether a selection holds `@include` or `@skip`, with which it is another one for other variables. */
function hasDirectives(selectionSet: SelectionSetNode | undefined, info: GraphQLResolveInfo): boolean {
  return (selectionSet?.selections ?? []).some((node) => {
    if ((node.directives?.length ?? 0) > 0) return true;
    const inner = node.kind === 'FragmentSpread' ? info.fragments[node.name.value] : node;
    return hasDirectives(inner?.selectionSet, info);
  });
}
