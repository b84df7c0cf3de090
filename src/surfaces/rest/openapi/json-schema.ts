// Converts GraphQL types and selections to JSON Schema 2020-12, the dialect of OpenAPI 3.1. Knows nothing of routes.

import {
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { snakeCase } from '../../../domain/values/snake-case.ts';
import { etagAlias, type Fragments, fieldsOf, responseName } from '../document.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

/** Writes JSON Schemas, and collects the named ones. */
export interface SchemaWriter {
  /** The named schemas, to be referenced at their place, `#/components/schemas/<name>`. Grows with each call. */
  readonly components: Map<string, JsonSchema>;
  /** Writes the schema of a variable. `keywords` are those that its use adds to those of its type. */
  input(type: GraphQLInputType, keywords?: JsonSchema): JsonSchema;
  /** Writes the schema of an answered field. An object selected by one fragment is named after it: `IpPolicy` for `IpPolicyBody`. */
  output(
    type: GraphQLOutputType,
    selection: SelectionSetNode | undefined,
    fragments: Fragments,
    keywords?: JsonSchema,
  ): JsonSchema;
}

interface WriterOptions {
  /** The names of fields of inputs. */
  readonly nameOf: (field: string) => string;
  readonly refPrefix: string;
  /** Changes what is written for the fields of inputs. */
  readonly written: (type: GraphQLInputType, schema: JsonSchema) => JsonSchema;
}

const ofRest: WriterOptions = {
  nameOf: snakeCase,
  refPrefix: '#/components/schemas/',
  written: (_type, schema) => schema,
};

/** Creates a writer. */
export function createSchemaWriter(
  schema: GraphQLSchema,
  { nameOf, refPrefix, written }: WriterOptions = ofRest,
): SchemaWriter {
  const components = new Map<string, JsonSchema>();

  /** Adds a named schema and returns a reference to it. It is written only once, and may refer to itself. */
  const named = (name: string, write: () => JsonSchema): JsonSchema => {
    if (!components.has(name)) {
      components.set(name, {});
      components.set(name, write());
    }
    return { $ref: `${refPrefix}${name}` };
  };

  const leaf = (type: GraphQLNamedType): JsonSchema => {
    if (isEnumType(type)) return named(type.name, () => writeEnum(type));
    // A scalar without a declared form may be anything. A guard test uses `scalarsWithoutForm` to find such scalars.
    return isScalarType(type) ? scalarForm(type) : {};
  };

  const input = (type: GraphQLInputType, keywords: JsonSchema = {}): JsonSchema => {
    const nullable = getNullableType(type);
    const write = (): JsonSchema => {
      if (isListType(nullable)) return { type: 'array', items: input(nullable.ofType) };
      if (!isInputObjectType(nullable)) return leaf(nullable);
      return named(nullable.name, () => {
        const fields = Object.values(nullable.getFields()).map((field) => ({ ...field, name: nameOf(field.name) }));
        return closedObject(
          nullable.description,
          fields.map((field) => [field.name, written(field.type, input(field.type, positionKeywords(field)))]),
          fields.filter(({ type: t, defaultValue }) => isNonNullType(t) && defaultValue === undefined),
        );
      });
    };
    const own = { ...write(), ...keywords };
    return isNonNullType(type) ? own : orNull(own);
  };

  const output: SchemaWriter['output'] = (type, selection, fragments, keywords = {}) => {
    const nullable = getNullableType(type);
    const write = (): JsonSchema => {
      if (isListType(nullable)) return { type: 'array', items: output(nullable.ofType, selection, fragments) };
      if (!isObjectType(nullable) || selection === undefined) return leaf(nullable);
      const name = objectName(nullable.name, selection, fragments);
      const reference = schema.getType(refType);
      const source = name === refType && isObjectType(reference) ? reference : nullable;
      const writeObject = (): JsonSchema => {
        const shown = fieldsOf(selection, fragments).filter((node) => responseName(node) !== etagAlias);
        const fields = source.getFields();
        const properties = shown.map((node): [string, JsonSchema] => {
          const field = fields[node.name.value];
          if (field === undefined) throw new Error(`${source.name} has no field ${node.name.value} of its own.`);
          return [responseName(node), output(field.type, node.selectionSet, fragments, positionKeywords(field))];
        });
        // Every field is in every answer. Unset fields are empty or null.
        const required = properties.map(([name]) => name);
        return {
          type: 'object',
          ...descriptionOf(source),
          required,
          properties: Object.fromEntries(properties),
        };
      };
      return name === null ? writeObject() : named(name, writeObject);
    };
    const own = { ...write(), ...keywords };
    return isNonNullType(type) ? own : orNull(own);
  };

  return { components, input, output };

  function objectName(typeName: string, selection: SelectionSetNode, fragments: Fragments): string | null {
    const nodes = selection.selections.filter((node) => node.kind !== Kind.FIELD || responseName(node) !== etagAlias);
    const [first] = nodes;
    if (nodes.length === 1 && first?.kind === Kind.FRAGMENT_SPREAD) return first.name.value.replace(/Body$/, '');
    const names = fieldsOf(selection, fragments).map(responseName);
    // The spec ("Conventions") names these two shapes: a reference to an object, and the envelope of a list.
    if (names.join() === 'id,uri' && schema.getType(refType) !== undefined) return refType;
    return typeName.endsWith('Connection') ? typeName.replace(/Connection$/, 'List') : null;
  }
}

const refType = 'Ref';

/** The built-in scalars of GraphQL. Ids are strings: they have a prefix. */
const scalarForms: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number', format: 'double' },
};

/** Returns the JSON form of a scalar. */
export function scalarForm(type: GraphQLScalarType): JsonSchema {
  return scalarForms[type.name] ?? keywordsOf(type);
}

/** Lists the scalars of a schema that do not declare their JSON form. */
export function scalarsWithoutForm(schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => isScalarType(type) && !(type.name in scalarForms) && !('type' in keywordsOf(type)))
    .map(({ name }) => name);
}

/** Writes the schema of an object that accepts only the given fields. */
export function closedObject(
  description: string | null | undefined,
  fields: readonly (readonly [name: string, schema: JsonSchema])[],
  required: readonly { readonly name: string }[],
): JsonSchema {
  return {
    type: 'object',
    ...descriptionOf({ description }),
    ...(required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
    properties: Object.fromEntries(fields),
    additionalProperties: false,
  };
}

interface Described {
  readonly description?: string | null | undefined;
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly defaultValue?: unknown;
}

/** Returns the keywords that the use of a type adds to those of the type. */
export function positionKeywords(element: Described = {}): JsonSchema {
  const { defaultValue } = element;
  return {
    ...keywordsOf(element),
    ...descriptionOf(element),
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
  };
}

/** Returns the keywords that a scalar, field or argument declares for its JSON Schema. */
function keywordsOf({ extensions }: Described): JsonSchema {
  const keywords = extensions?.jsonSchema;
  return typeof keywords === 'object' && keywords !== null ? { ...keywords } : {};
}

function descriptionOf({ description }: Described): JsonSchema {
  return description ? { description } : {};
}

function writeEnum(type: GraphQLEnumType): JsonSchema {
  const values = type.getValues();
  // JSON Schema cannot describe single values.
  const list = values.map(({ name, description }) => `- \`${name}\`: ${description ?? ''}`).join('\n');
  return {
    type: 'string',
    description: `${type.description ?? ''}\n\n${list}`.trim(),
    enum: values.map(({ name }) => name),
  };
}

/** Writes the content of a JSON body. */
export function jsonContent(schema: JsonSchema, example?: unknown): JsonSchema {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

/** Extends a schema to allow null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { $ref, type, ...rest } = schema;
  if ($ref !== undefined) return { oneOf: [{ $ref }, { type: 'null' }], ...rest };
  // Without a type, null is already allowed.
  return type === undefined ? schema : { ...schema, type: [type, 'null'].flat() };
}
