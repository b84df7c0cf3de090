// Routes in the description. The variables of a document tell what the route accepts, and its selection tells what it answers.

import { type GraphQLSchema, isNonNullType } from 'graphql';
import { readVariableDefinitions } from '../../../graphql/execution/variables.ts';
import { replayedHeader } from '../../../pipeline/answer-once.ts';
import type { PreparedRoute } from '../prepared-route.ts';
import { hasBody, successStatus } from '../route.ts';
import { errorStatuses, headersOfAll, responseNameOf } from './errors.ts';
import { closedObject, type JsonSchema, jsonContent, positionKeywords, type SchemaWriter } from './json-schema.ts';
import { hasEtag, type ReadDocument } from './read-document.ts';
import { tagOf } from './tags.ts';
import type { Examples, RouteDescription } from './types.ts';

/** Describes a route: its parameters, body and answers. */
export function describeRoute(
  prepared: PreparedRoute,
  read: ReadDocument,
  writer: SchemaWriter,
  schema: GraphQLSchema,
  examples: Examples,
): RouteDescription {
  const { route, pathFields, inputFields, changes, takesIfMatch, takesForce } = prepared;
  const { method } = route;
  const { needs, enough } = read.scopes;
  const operationId = read.definition.name?.value ?? '';
  const example = examples.operations[operationId];
  const variables = readVariableDefinitions(read.definition, route.document, schema);
  const inputs = [...inputFields.values()].map(
    ({ name, type, positions }) => [name, writer.input(type, positionKeywords(positions.at(-1)))] as const,
  );
  const canBeUnmodified = method === 'GET' && hasEtag(read);
  return {
    operationId,
    tags: [tagOf(route.path)],
    summary: firstSentence(read.description),
    description: read.description,
    // Generated clients use the first alternative.
    security: [
      ...[needs, ...(enough === undefined ? [] : [[enough]])].map((scopes) => ({ apiKey: scopes, version: [] })),
      ...(route.withoutKey === undefined ? [] : [{ version: [] }]),
    ],
    parameters: [
      ...variables
        .filter(({ name }) => pathFields.includes(name))
        .map(({ name, type, positions }) => {
          const { description, ...form } = writer.input(type, positionKeywords(positions.at(-1)));
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
      ...(hasBody(method) ? [] : inputs.map(([name, form]) => queryParameter(name, form))),
      ...(changes ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ...(takesIfMatch ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
      ...(takesForce ? [{ $ref: '#/components/parameters/Force' }] : []),
      ...(canBeUnmodified ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
      ...(prepared.streams ? [{ $ref: '#/components/parameters/LastEventId' }] : []),
    ],
    ...(hasBody(method) ? { requestBody: describeBody(prepared, operationId, inputs, writer, example?.request) } : {}),
    responses: {
      [successStatus[method]]: prepared.streams
        ? describeStream(read, writer)
        : describeSuccess(prepared, read, writer, example?.response),
      ...(canBeUnmodified ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
      ...Object.fromEntries(
        errorStatuses([prepared]).map((status) => [
          status,
          { $ref: `#/components/responses/${responseNameOf(status)}` },
        ]),
      ),
    },
  };
}

/** Describes a query parameter, without null: a query cannot hold null, so an unset parameter is omitted. */
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
  { inputFields }: PreparedRoute,
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
    content: jsonContent({ $ref: `#/components/schemas/${name}` }, example),
  };
}

function describeSuccess(
  { changes }: PreparedRoute,
  read: ReadDocument,
  writer: SchemaWriter,
  example: unknown,
): JsonSchema {
  const headers = {
    ...headersOfAll,
    ...(changes ? { [replayedHeader]: { $ref: '#/components/headers/Replayed' } } : {}),
  };
  const { answer, fragments } = read;
  if (answer === null) return { description: 'Done. There is no body.', headers };
  const { selectionSet } = answer.field;
  // Null is not an answer: the route responds with 404 instead.
  const type = isNonNullType(answer.type) ? answer.type.ofType : answer.type;
  const { oneOf, ...form } = writer.output(type, selectionSet, fragments);
  const [reference] = [oneOf].flat();
  return {
    description: answer.description || 'Done.',
    headers: { ...headers, ...(hasEtag(read) ? { ETag: { $ref: '#/components/headers/ETag' } } : {}) },
    content: jsonContent(reference === undefined ? form : { ...Object(reference) }, example),
  };
}

/** Describes a stream and its messages, each with an object in JSON. */
function describeStream({ answer, fragments }: ReadDocument, writer: SchemaWriter): JsonSchema {
  const event = answer === null ? {} : writer.output(answer.type, answer.field.selectionSet, fragments);
  return {
    description:
      'Server-sent events, until the client leaves, the key ends or the server stops. Each message has the `id` of its event, and as ' +
      '`data` the event in one line of JSON. A message named `end` tells why the stream ends for good, with the body of the schema ' +
      '`Error`. Lines that begin with a colon, and messages without data, keep the connection alive.',
    headers: headersOfAll,
    content: {
      'text/event-stream': {
        schema: { type: 'string', contentMediaType: 'application/json', contentSchema: event },
        example:
          'id: evt_01m7xehb24efe8sfxqfz0dt6w9\ndata: {"id":"evt_01m7xehb24efe8sfxqfz0dt6w9","action":"update", ...}\n\n',
      },
    },
  };
}

function firstSentence(text: string): string {
  return (/^.*?\.(?= |$)/.exec(text)?.[0] ?? text).replace(/\.$/, '');
}
