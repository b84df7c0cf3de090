// The JSON Schema of documents, by which editors complete and check them. Derived, as the documents are, from the GraphQL schema.

import { type GraphQLSchema, getNamedType, getNullableType, isListType, isScalarType } from 'graphql';
import {
  closedObject,
  createSchemaWriter,
  type JsonSchema,
  orNull,
  positionKeywords,
  scalarForm,
} from '../../surfaces/rest/openapi/json-schema.ts';
import type { ConfiguredField, ConfiguredKind, ConfiguredModule } from './kind-schema.ts';
import { configuredKinds } from './kinds-schema.ts';
import { nameCharactersMax, nameForm } from './rules.ts';

const refPrefix = '#/$defs/';
const nameSchema = { type: 'string', pattern: nameForm.source, maxLength: nameCharactersMax };

/** Writes the JSON Schema of documents, as the server and the repository have it. */
export function writeDocumentSchema(schema: GraphQLSchema): string {
  return `${JSON.stringify(describeDocuments(schema), null, 2)}\n`;
}

function describeDocuments(schema: GraphQLSchema): JsonSchema {
  const kinds = configuredKinds(schema);
  const writer = createSchemaWriter(schema, { nameOf: (field) => field, refPrefix, written: orFromElsewhere });

  const nameOfReference = ({ refersTo }: ConfiguredField): string => {
    const of = kinds.find(({ kind }) => kind === refersTo);
    return of === undefined
      ? `The ID of an object of the kind ${refersTo}.`
      : `The name of an object in \`${pathOf(of)}\`.`;
  };
  const pathOf = ({ collection, whole }: ConfiguredKind): string => {
    const of = kinds.find(({ kind }) => kind === whole);
    return of === undefined ? collection : `${pathOf(of)}.<name>.${collection}`;
  };
  const fieldOf = (field: ConfiguredField): JsonSchema => {
    const { type, input, refersTo, isRequired } = field;
    const keywords = positionKeywords(input);
    const said =
      refersTo === null ? keywords : { ...keywords, description: `${keywords.description} ${nameOfReference(field)}` };
    const described =
      field.default === undefined || field.default === null ? said : { ...said, default: field.default };
    return orFromElsewhere(type, writer.input(isRequired ? type : getNullableType(type), described));
  };
  const propertiesOf = (fields: readonly ConfiguredField[]) =>
    fields.map((field) => [field.name, fieldOf(field)] as const);
  const requiredOf = (fields: readonly ConfiguredField[]) => fields.filter(({ isRequired }) => isRequired);
  const moduleOf = ({ description, fields, listField }: ConfiguredModule): JsonSchema => {
    const entry = closedObject(null, propertiesOf(fields), requiredOf(fields));
    return { description, ...orNull(listField === null ? entry : { type: 'array', items: entry }) };
  };
  const collectionOf = ({ kind, description }: ConfiguredKind): JsonSchema => ({
    description,
    type: ['object', 'null'],
    propertyNames: { $ref: `${refPrefix}Name` },
    additionalProperties: { $ref: `${refPrefix}${kind}` },
  });
  const partsOf = (whole: ConfiguredKind['whole']) =>
    kinds
      .filter((kind) => kind.whole === whole)
      .map((kind) => [kind.collection, kind.isSingle ? orNull(objectOf(kind)) : collectionOf(kind)] as const);
  const objectOf = ({ kind, description, fields, modules }: ConfiguredKind): JsonSchema => {
    const required = requiredOf(fields);
    const object = closedObject(
      description,
      [...propertiesOf(fields), ...modules.map((module) => [module.name, moduleOf(module)] as const), ...partsOf(kind)],
      required,
    );
    return required.length === 0 ? orNull(object) : object;
  };

  const root = closedObject(
    'What an account of Sallyport has configured: objects by names of their own, which refer to each other by these names.',
    [
      ['$schema', { type: 'string', description: 'Where this JSON Schema is, for editors.' }],
      [
        'document',
        { ...nameSchema, description: 'The name of the document, by which it owns what it made. Defaults to `main`.' },
      ],
      ...partsOf(null),
    ],
    [],
  );
  const own = kinds.filter(({ isSingle }) => !isSingle).map((kind) => [kind.kind, objectOf(kind)] as const);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of Sallyport',
    ...root,
    $defs: {
      Name: nameSchema,
      TextFromElsewhere: {
        description: 'Text that the command line reads from a variable, or from a file beside the document.',
        oneOf: ['env', 'file'].map((key) => closedObject(null, [[key, { type: 'string' }]], [{ name: key }])),
      },
      ...Object.fromEntries([...writer.components].sort(([a], [b]) => (a < b ? -1 : 1))),
      ...Object.fromEntries(own),
    },
  };
}

/** Lets text come from elsewhere. */
function orFromElsewhere(type: ConfiguredField['type'], { description, ...written }: JsonSchema): JsonSchema {
  if (!takesText(type)) return { description, ...written };
  return { description, anyOf: [written, { $ref: `${refPrefix}TextFromElsewhere` }] };
}

/** Returns whether the command line may read a value from elsewhere: it is text. */
function takesText(type: ConfiguredField['type']): boolean {
  const named = getNamedType(type);
  if (!isScalarType(named) || isListType(getNullableType(type)) || named.name === 'ID') return false;
  return scalarForm(named).type === 'string';
}
