// Reads the selections of a document: which fields they name, whether directives leave them out, and which columns fields read.

import {
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  GraphQLSkipDirective,
  getDirectiveValues,
  isInterfaceType,
  isObjectType,
  SchemaMetaFieldDef,
  type SelectionNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';

// No type lists these.
const metaFields = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef].map((field) => [field.name, field]),
);

/** Finds the field that a valid document selects by a name; undefined if the type has no such field. */
export function fieldOf(type: GraphQLNamedType, name: string): GraphQLField<unknown, unknown> | undefined {
  const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
  return field ?? metaFields.get(name);
}

/** Returns whether a selection is included, according to `@skip` and `@include` (GraphQL, section 3.13). */
export function isAsked(node: SelectionNode, variables: Readonly<Record<string, unknown>>): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false;
}

/** Declares the columns of its row that the resolver of a field reads, which shows nothing else of the row. */
export const ofColumns = (...columns: string[]) => ({ extensions: { columns } });
