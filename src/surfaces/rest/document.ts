// The variables and aliases with a special meaning in the documents of routes, and helpers to read documents.

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** The variable for the version in the `If-Match` header. */
export const ifMatchField = 'if_match';
/** The variable by which a client insists on a change that locks it out. */
export const forceField = 'force';
/** The alias of the field that holds the answer. */
export const bodyAlias = 'body';
/** The alias of the field of the answer that becomes its `ETag` header. */
export const etagAlias = 'etag';

/** The fragments of a document, by their names. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** Returns the operation of one of our documents. Throws `Error` if it has none. */
export function operationOf(document: DocumentNode): OperationDefinitionNode {
  const definition = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (definition === undefined) throw new Error('The document has no operation.');
  return definition;
}

/** Returns the fragments of a document. */
export function fragmentsOf(document: DocumentNode): Fragments {
  return new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
}

/** Lists the fields of a selection, including those of its fragments. */
export function fieldsOf(selectionSet: SelectionSetNode | undefined, fragments: Fragments): FieldNode[] {
  return (selectionSet?.selections ?? []).flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node];
    const inner = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
    return fieldsOf(inner?.selectionSet, fragments);
  });
}

/** Returns the name of a field in the answer. */
export function responseName({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}
