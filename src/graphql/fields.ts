// Looks up fields by name, including `__schema`, `__type` and `__typename`, which no type lists.

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

/** Finds the field that a valid document selects by a name; undefined if the type has no such field. */
export function fieldOf(type: GraphQLNamedType, name: string): GraphQLField<unknown, unknown> | undefined {
  const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
  return field ?? metaFields.get(name);
}
