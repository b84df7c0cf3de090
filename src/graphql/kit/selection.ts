// What a document selects beneath a field.

import type { GraphQLResolveInfo, SelectionSetNode } from 'graphql';

/** Returns whether a document selects a field beneath a field whose name fits. Ignores `@skip` and `@include`. */
export function selectsAny(info: GraphQLResolveInfo, fits: (name: string) => boolean): boolean {
  const isAny = (selectionSet: SelectionSetNode | undefined): boolean =>
    (selectionSet?.selections ?? []).some((node) => {
      if (node.kind === 'Field') return fits(node.name.value);
      return isAny((node.kind === 'FragmentSpread' ? info.fragments[node.name.value] : node)?.selectionSet);
    });
  return info.fieldNodes.some(({ selectionSet }) => isAny(selectionSet));
}
