// Fields of types as documents name them: those of introspection included, which no type of ours lists.

import {
  type GraphQLField,
  type GraphQLNamedType,
  isInterfaceType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';

const metaFields = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef].map((field) => [field.name, field]),
);

/** Finds the field that a valid document selects by a name; undefined where a type has none. */
export function fieldOf(type: GraphQLNamedType, name: string): GraphQLField<unknown, unknown> | undefined {
  const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
  return field ?? metaFields.get(name);
}
