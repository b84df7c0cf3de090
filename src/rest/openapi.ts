// The OpenAPI 3.1 description of the REST surface, made from the rows of the route table, their documents and the
// schema. What it says of a route is what the adapter does with it; a test holds every answer of the suite to it.

import { STATUS_CODES } from 'node:http';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { type ErrorCode, errorCatalogue } from '../domain/errors.ts';
import { isErrorCode, statusOf } from '../graphql/errors.ts';
import { readVariableDefinitions } from '../graphql/variables.ts';
import { serviceVersion } from '../http/request.ts';
import { closedObject, createSchemaWriter, type JsonSchema, notesOf, type SchemaWriter } from './json-schema.ts';
import { etagField, type Fragments, fieldsOf, ifMatchField, type Operation, responseName } from './operation.ts';
import { type Method, successStatus } from './route.ts';

/** A file that is served without an API key, described beside its handler. */
export interface PublishedFile {
  /** Path with its parameters in braces. */
  readonly path: `/${string}`;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly mediaType: string;
  /** What each parameter in the path is. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Real answers, recorded from a service that runs. */
export interface Examples {
  /** By the name of the operation. */
  readonly operations: Readonly<Record<string, OperationExample>>;
  /** Bodies of errors, by their status. */
  readonly errors: Readonly<Record<string, unknown>>;
}

/** One call of an operation. */
export interface OperationExample {
  readonly path: Readonly<Record<string, string>>;
  readonly request?: unknown;
  readonly response?: unknown;
}

/** What the description needs beside the routes. */
export interface OpenApiOptions {
  readonly files: readonly PublishedFile[];
  readonly examples: Examples;
  /** The recommended name of the version header. */
  readonly versionHeader: string;
}

/** A description, as far as programs of our own read it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly [field: string]: unknown;
}

/** The description of one operation. */
export interface OperationObject {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, JsonSchema>>;
  readonly [field: string]: unknown;
}

/** Describes the routes. Throws `Error` for a document that was not read before. */
export function describeRoutes(
  operations: readonly Operation[],
  schema: GraphQLSchema,
  { files, examples, versionHeader }: OpenApiOptions,
): OpenApiDocument {
  const writer = createSchemaWriter(schema);
  const statuses = restStatuses((code) => operations.some((operation) => canAnswer(code, operation)));
  const paths: Record<string, Record<string, OperationObject>> = {};
  const tags = new Map<string, string>();
  for (const operation of operations) {
    const { method, path } = operation.route;
    const read = readDocument(operation, schema);
    const tag = tagOf(path);
    // The type that most routes of a collection answer with says what the collection is.
    if (!tags.has(tag) && read.answer?.name !== undefined && !read.answer.name.endsWith('Connection')) {
      tags.set(tag, read.answer.description);
    }
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = describeOperation(operation, read, tag, writer, schema, examples);
  }
  for (const file of files) {
    paths[file.path] = { get: describeFile(file, tagOf(file.path)) };
    if (!tags.has(tagOf(file.path))) tags.set(tagOf(file.path), 'Files for programs that have no API key.');
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sallyport',
      version: serviceVersion,
      summary: 'Management API for the entrances of a network.',
      description: introduction(versionHeader),
      contact: { name: 'The operator of this server' },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this description came from.' }],
    security: [{ apiKey: [] }],
    tags: [...tags].map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the account to act for.' },
      },
      parameters: {
        Version: {
          name: versionHeader,
          in: 'header',
          required: true,
          description: `Version of the REST surface. There is one: ${serviceVersion}.`,
          schema: { type: 'string', enum: [serviceVersion], default: serviceVersion },
        },
        IfMatch: {
          name: 'If-Match',
          in: 'header',
          description:
            'The `ETag` of the answer that the change is made for. If the object has changed since, nothing happens ' +
            'and the answer is 412.',
          schema: { type: 'string', pattern: '^(\\*|"\\d{1,9}")$' },
          example: '"1"',
        },
        IfNoneMatch: {
          name: 'If-None-Match',
          in: 'header',
          description: 'The `ETag` of the answer that the client has. If it is still the right one, the answer is 304.',
          schema: { type: 'string' },
          example: '"1"',
        },
      },
      headers: {
        RequestId: {
          description: 'Id of the request, equal to `details.operation_id` of an error and to the log of the server.',
          required: true,
          schema: { type: 'string' },
        },
        ETag: {
          description: 'Version of the object, for `If-Match`.',
          required: true,
          schema: { type: 'string' },
          example: '"1"',
        },
      },
      schemas: { ...Object.fromEntries([...writer.components].sort(byName)), Error: errorSchema },
      responses: {
        NotModified: {
          description: 'The answer that the client has is still the right one. There is no body.',
          headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
        },
        ...Object.fromEntries(statuses.map((status) => describeErrors(status, operations, examples))),
      },
    },
  };
}

function introduction(versionHeader: string): string {
  return `The REST surface of Sallyport. Every route executes an operation of the GraphQL surface at \`/graphql\`, with the
same rules, limits and errors.

- Every request carries \`Authorization: Bearer <API key>\` and \`${versionHeader}: ${serviceVersion}\`.
- Bodies are JSON objects of at most 1 MiB. A field that the route does not have is refused, so that a typing error does not
  pass silently.
- On a creation, null and empty values mean "not given" for optional fields. A PATCH keeps what is left out, and \`""\` clears
  \`description\` and \`metadata\`. A PUT replaces the whole module: what is left out returns to its default.
- Every field of an answer is always there: \`""\`, \`[]\` or null where nothing is set. Later versions may add fields.
- Lists are newest first. \`next_page_uri\` leads to the next page; it is null on the last one.
- Every answer outside 2xx has the body of the schema \`Error\`, with a code that is stable.`;
}

/** What is read of the document of a route. */
interface ReadDocument {
  readonly definition: OperationDefinitionNode;
  readonly description: string;
  readonly fragments: Fragments;
  /** The answer; null for a route without one. */
  readonly answer: {
    readonly name: string;
    readonly description: string;
    readonly type: GraphQLOutputType;
    readonly field: FieldNode;
  } | null;
}

function readDocument({ route, bodyPath }: Operation, schema: GraphQLSchema): ReadDocument {
  const definition = operationOf(route.document);
  const fragments = new Map(
    route.document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const root = schema.getRootType(definition.operation);
  const steps: { field: FieldNode; definition: GraphQLField<unknown, unknown> }[] = [];
  let parent: unknown = root;
  let selection = definition.selectionSet;
  const [first] = fieldsOf(selection, fragments);
  for (const name of bodyPath ?? (first === undefined ? [] : [responseName(first)])) {
    const field = fieldsOf(selection, fragments).find((node) => responseName(node) === name);
    const found = isObjectType(parent) && field !== undefined ? parent.getFields()[field.name.value] : undefined;
    if (field === undefined || found === undefined) throw new Error(`${route.path}: the document has no ${name}.`);
    steps.push({ field, definition: found });
    parent = getNamedType(found.type);
    selection = field.selectionSet ?? selection;
  }
  const [outer, last] = [steps[0], steps.at(-1)];
  if (outer === undefined || last === undefined) throw new Error(`${route.path}: the document is empty.`);
  const type = getNamedType(last.definition.type);
  return {
    definition,
    fragments,
    description: descriptionOf(definition, outer.definition, last.definition),
    answer:
      bodyPath === null
        ? null
        : { name: type.name, description: type.description ?? '', type: last.definition.type, field: last.field },
  };
}

/** Tells what an operation is for: what the mutation does, or what the answer of the query is. */
function descriptionOf(
  { operation }: OperationDefinitionNode,
  outer: GraphQLField<unknown, unknown>,
  answer: GraphQLField<unknown, unknown>,
): string {
  if (operation === 'mutation') return outer.description ?? '';
  // A field that may be null says when it is; on the REST surface that is a 404, and the type says the rest.
  const { description } = isNonNullType(answer.type) ? answer : getNamedType(answer.type);
  return description ?? '';
}

function operationOf(document: DocumentNode): OperationDefinitionNode {
  const definition = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (definition === undefined) throw new Error('The document has no operation.');
  return definition;
}

function describeOperation(
  operation: Operation,
  read: ReadDocument,
  tag: string,
  writer: SchemaWriter,
  schema: GraphQLSchema,
  examples: Examples,
): OperationObject {
  const { route, pathFields, inputFields } = operation;
  const { method } = route;
  const operationId = read.definition.name?.value ?? '';
  const example = examples.operations[operationId];
  const variables = readVariableDefinitions(read.definition, route.document, schema);
  const inputs = [...inputFields.values()].map(
    ({ name, type, places }) => [name, writer.input(type, notesOf(places.at(-1)))] as const,
  );
  const canBeUnmodified = method === 'GET' && hasEtag(read);
  return {
    operationId,
    tags: [tag],
    summary: firstSentence(read.description),
    description: read.description,
    parameters: [
      ...variables
        .filter(({ name }) => pathFields.includes(name))
        .map(({ name, type, places }) => {
          const { description, ...form } = writer.input(type, notesOf(places.at(-1)));
          const sample = example?.path[name];
          return {
            name,
            in: 'path',
            required: true,
            description,
            schema: form,
            ...(sample === undefined ? {} : { example: sample }),
          };
        }),
      ...(method === 'GET' ? inputs.map(([name, form]) => queryParameter(name, form)) : []),
      { $ref: '#/components/parameters/Version' },
      ...(isConditional(operation) ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
      ...(canBeUnmodified ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
    ],
    ...(hasBody(method) ? { requestBody: describeBody(operation, operationId, inputs, writer, example?.request) } : {}),
    responses: {
      [successStatus[method]]: describeSuccess(read, writer, example?.response),
      ...(canBeUnmodified ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
      ...Object.fromEntries(
        restStatuses((code) => canAnswer(code, operation)).map((status) => [
          status,
          { $ref: `#/components/responses/${responseNameOf(status)}` },
        ]),
      ),
    },
  };
}

/** Writes a query parameter. One that is not set is left out: there is no null in a query. */
function queryParameter(name: string, { description, type, oneOf, ...form }: JsonSchema): JsonSchema {
  const isNull = (item: unknown) => item === 'null' || (typeof item === 'object' && item !== null && 'type' in item);
  const [onlyType] = [type].flat().filter((item) => item !== 'null');
  const [reference] = [oneOf].flat().filter((item) => item !== undefined && !isNull(item));
  return {
    name,
    in: 'query',
    description,
    schema: { ...form, ...(onlyType === undefined ? {} : { type: onlyType }), ...Object(reference) },
  };
}

function describeBody(
  { inputFields }: Operation,
  operationId: string,
  inputs: readonly (readonly [string, JsonSchema])[],
  { components }: SchemaWriter,
  example: unknown,
): JsonSchema {
  const name = `${operationId}Request`;
  const required = [...inputFields.values()].filter((field) => field.required);
  components.set(name, closedObject(undefined, inputs, required));
  return {
    required: required.length > 0,
    content: json({ $ref: `#/components/schemas/${name}` }, example),
  };
}

function hasEtag({ answer, fragments }: ReadDocument): boolean {
  return fieldsOf(answer?.field.selectionSet, fragments).some((node) => responseName(node) === etagField);
}

function describeSuccess(read: ReadDocument, writer: SchemaWriter, example: unknown): JsonSchema {
  const { answer, fragments } = read;
  const requestId = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
  if (answer === null) return { description: 'Done. There is no body.', headers: requestId };
  const { selectionSet } = answer.field;
  // What may be null on the way to the answer is a 404 of the route.
  const type = isNonNullType(answer.type) ? answer.type.ofType : answer.type;
  const { oneOf, ...form } = writer.output(type, selectionSet, fragments);
  const [reference] = [oneOf].flat();
  return {
    description: answer.description || 'Done.',
    headers: { ...requestId, ...(hasEtag(read) ? { ETag: { $ref: '#/components/headers/ETag' } } : {}) },
    content: json(reference === undefined ? form : { ...Object(reference) }, example),
  };
}

function describeFile(file: PublishedFile, tag: string): OperationObject {
  const { operationId, summary, description, mediaType, parameters } = file;
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: [],
    parameters: Object.entries(parameters).map(([name, text]) => ({
      name,
      in: 'path',
      required: true,
      description: text,
      schema: { type: 'string' },
    })),
    responses: {
      200: {
        description: 'The file.',
        headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
        content: { [mediaType]: {} },
      },
      404: { $ref: `#/components/responses/${responseNameOf(404)}` },
      500: { $ref: `#/components/responses/${responseNameOf(500)}` },
    },
  };
}

function json(schema: JsonSchema, example?: unknown): JsonSchema {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

/** Body of every answer outside 2xx: see `ErrorBody` in `errors.ts`. */
const errorSchema: JsonSchema = {
  type: 'object',
  description: 'What went wrong, for a program and for a person.',
  required: ['error_code', 'status_code', 'msg', 'details'],
  properties: {
    error_code: { type: 'string', description: 'Stable code; the same on the GraphQL surface.' },
    status_code: { type: 'integer', description: 'The HTTP status.' },
    msg: { type: 'string', description: 'A sentence that says what is wrong and what to do.' },
    details: {
      type: 'object',
      required: ['operation_id'],
      properties: {
        operation_id: { type: 'string', description: 'Id of the request, equal to the header `X-Request-Id`.' },
        field: { type: 'string', description: 'The field or parameter to blame, where there is one.' },
      },
    },
  },
};

/** Headers that tell what to do about an error. */
const headersByStatus: Readonly<Record<number, JsonSchema>> = {
  401: { 'WWW-Authenticate': { description: 'The scheme to sign in with.', schema: { type: 'string' } } },
  405: { Allow: { description: 'The methods that the path has.', schema: { type: 'string' } } },
  503: { 'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } } },
};

function describeErrors(
  status: number,
  operations: readonly Operation[],
  { errors }: Examples,
): [name: string, response: JsonSchema] {
  const codes = restCodes.filter(
    (code) => statusOf[code] === status && operations.some((operation) => canAnswer(code, operation)),
  );
  const form = {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { properties: { error_code: { enum: codes }, status_code: { const: status } } },
    ],
  };
  const response = {
    description: codes.map((code) => `- \`${code}\`: ${errorCatalogue[code].meaning}`).join('\n'),
    headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' }, ...headersByStatus[status] },
    content: json(form, errors[status]),
  };
  return [responseNameOf(status), response];
}

/** Names the component of a status by its phrase: `NotFound`. */
function responseNameOf(status: number): string {
  return (STATUS_CODES[status] ?? `Status ${status}`).replace(/\W/g, '');
}

/** Codes that only some routes answer with. Those that are not here are possible everywhere. */
const routesOf: Partial<Record<ErrorCode, (operation: Operation) => boolean>> = {
  UNKNOWN_REFERENCE: ({ route }) => hasBody(route.method),
  DUPLICATE: ({ route }) => hasBody(route.method),
  READ_ONLY_FIELD: ({ route }) => hasBody(route.method),
  MALFORMED_BODY: ({ route }) => hasBody(route.method),
  BODY_TOO_DEEP: ({ route }) => hasBody(route.method),
  BODY_TOO_LARGE: ({ route }) => hasBody(route.method),
  UNSUPPORTED_MEDIA_TYPE: ({ route }) => hasBody(route.method),
  NOT_FOUND: ({ pathFields }) => pathFields.length > 0,
  VERSION_CONFLICT: isConditional,
  IN_USE: ({ route }) => route.method === 'DELETE',
  // The documents of the routes are our own.
  GRAPHQL_SYNTAX: () => false,
  GRAPHQL_INVALID: () => false,
  QUERY_TOO_COMPLEX: () => false,
  // A path that is not there is no path of the description, and neither is a method.
  UNKNOWN_ROUTE: () => false,
  METHOD_NOT_ALLOWED: () => false,
};

function canAnswer(code: ErrorCode, operation: Operation): boolean {
  return routesOf[code]?.(operation) ?? true;
}

/** Tells whether a route takes the version that a change is made for. */
function isConditional({ route }: Operation): boolean {
  return (operationOf(route.document).variableDefinitions ?? []).some(
    ({ variable }) => variable.name.value === ifMatchField,
  );
}

const restCodes = Object.keys(errorCatalogue).filter(isErrorCode);

/** Lists the statuses of the codes that are possible, in order. */
function restStatuses(isPossible: (code: ErrorCode) => boolean): number[] {
  const statuses = restCodes.filter(isPossible).map((code) => statusOf[code]);
  return [...new Set(statuses)].sort((a, b) => a - b);
}

function hasBody(method: Method): boolean {
  return method === 'POST' || method === 'PATCH' || method === 'PUT';
}

const acronyms = new Set(['api', 'http', 'https', 'ip', 'ssh', 'tls']);

/** Names the group of a route after its collection: `IP policy rules` of `/ip_policy_rules/{id}`, `TLS edges` of `/edges/tls`. */
function tagOf(path: string): string {
  const steps = path
    .replace(/\/\{.*/, '')
    .slice(1)
    .split('/')
    .reverse();
  const words = steps.flatMap((step) => step.split('_'));
  const text = words.map((word) => (acronyms.has(word) ? word.toUpperCase() : word)).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function firstSentence(text: string): string {
  return (/^.*?\.(?= |$)/.exec(text)?.[0] ?? text).replace(/\.$/, '');
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
