// Generates the OpenAPI 3.1 description of the REST surface from the route table, the documents and the schema. It describes what
// the adapter does: a test checks every answer of the test suite against it.

import type { GraphQLSchema } from 'graphql';
import { expiringDays } from '../../../domain/access/key-scopes.ts';
import { schema } from '../../../graphql/schema.ts';
import { idempotencyKeyHeader } from '../../../pipeline/answer-once.ts';
import { forceHeader, serviceVersion } from '../../../pipeline/request.ts';
import type { PublicFile } from '../../public-files.ts';
import { type PreparedRoute, prepareRoutes } from '../prepared-route.ts';
import { publicFiles, servedRoutes } from '../routes.ts';
import { describeErrors, errorSchema, errorStatuses } from './errors.ts';
import { recordedExamples } from './examples.generated.ts';
import { describeFile } from './files.ts';
import { createSchemaWriter } from './json-schema.ts';
import { readDocument } from './read-document.ts';
import { describeRoute } from './routes.ts';
import { tagOf } from './tags.ts';
import type { Examples, OpenApiDocument, RouteDescription } from './types.ts';

/**
 * Describes the REST surface.
 *
 * @param versionHeader the recommended name of the version header
 * @throws Error if a document does not fit its route
 */
export function describeRestSurface(versionHeader: string, examples: Examples = recordedExamples): OpenApiDocument {
  return describeRoutes(prepareRoutes(servedRoutes, schema), schema, { files: publicFiles, examples, versionHeader });
}

/** What the description needs besides the routes. */
interface OpenApiOptions {
  readonly files: readonly PublicFile[];
  readonly examples: Examples;
  readonly versionHeader: string;
}

function describeRoutes(
  routes: readonly PreparedRoute[],
  schema: GraphQLSchema,
  { files, examples, versionHeader }: OpenApiOptions,
): OpenApiDocument {
  const writer = createSchemaWriter(schema);
  const paths: Record<string, Record<string, RouteDescription>> = {};
  const tags = new Map<string, string>();
  for (const prepared of routes) {
    const { method, path } = prepared.route;
    const read = readDocument(prepared, schema);
    const tag = tagOf(path);
    // The description of the type that a collection's routes answer with describes the collection.
    if (!tags.has(tag) && read.answer?.name !== undefined && !read.answer.name.endsWith('Connection')) {
      tags.set(tag, read.answer.description);
    }
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = describeRoute(prepared, read, writer, schema, examples);
  }
  for (const file of files) {
    paths[file.path] = { get: describeFile(file) };
    if (!tags.has(tagOf(file.path))) tags.set(tagOf(file.path), 'Files for programs that have no API key.');
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sallyport',
      version: serviceVersion,
      summary: 'API for controlling network ingress.',
      description: introduction(versionHeader),
      contact: { name: 'The operator of this server' },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this description came from.' }],
    security: [{ apiKey: [], version: [] }],
    tags: [...tags].map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the account to act for. Each route names the scopes that the key needs.',
        },
        // Not a secret, but only a header in this form is set once in generated clients, rather than in each call.
        version: {
          type: 'apiKey',
          in: 'header',
          name: versionHeader,
          description: `Version of the REST surface, on every request. There is one: \`${serviceVersion}\`.`,
        },
      },
      parameters: {
        IfMatch: {
          name: 'If-Match',
          in: 'header',
          description:
            'The `ETag` of the answer that the change is made for, or several of them. If the object has changed since, ' +
            'nothing happens and the answer is 412.',
          schema: { type: 'string', pattern: '^(\\*|(W/)?"[^"]*"([ \\t]*,[ \\t]*(W/)?"[^"]*")*)$' },
          example: '"1"',
        },
        IdempotencyKey: {
          name: idempotencyKeyHeader,
          in: 'header',
          description:
            'A new value for each new request, such as a UUID, in double quotes or without. A request that is sent again with its ' +
            'key within 24 hours is carried out once, and gets the first answer.',
          schema: { type: 'string', minLength: 1, maxLength: 257 },
          example: 'e7a1c5c8-6f0b-4a57-9d8b-0c6f3f6c2b1d',
        },
        Force: {
          name: forceHeader,
          in: 'header',
          description:
            "`true` makes the change even if IP restrictions would then refuse requests from the client's own address. " +
            'Without it, the answer to such a change is 409.',
          schema: { type: 'boolean' },
          example: true,
        },
        LastEventId: {
          name: 'Last-Event-ID',
          in: 'header',
          description:
            'The `id` of the last message that the client has had: the stream goes on after it. It counts more than `after`.',
          schema: { type: 'string' },
          example: 'evt_01m7xehb24efe8sfxqfz0dt6w9',
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
          description: "Id of the request, equal to `details.operation_id` of an error and to the server's log.",
          required: true,
          schema: { type: 'string' },
        },
        WouldRefuse: {
          description:
            'IP restrictions of type `api` that are not enforced and would refuse this request if they were: at most ten ids, ' +
            'separated by commas.',
          schema: { type: 'string' },
          example: 'ipx_01m7xehb24efe8sfxqfz0dt6w9',
        },
        KeyExpires: {
          description: `When the API key of the request expires, during its last ${expiringDays} days.`,
          schema: { type: 'string', format: 'date-time' },
          example: '2027-05-31T00:00:00Z',
        },
        RateLimit: {
          description:
            'Where the server limits rates: how many requests the key has left (`r`), and the seconds until it has all of them (`t`).',
          schema: { type: 'string' },
          example: '"api-key";r=597;t=1',
        },
        RateLimitPolicy: {
          description:
            'Where the server limits rates: how many requests a key may send (`q`) in how many seconds (`w`).',
          schema: { type: 'string' },
          example: '"api-key";q=600;w=60',
        },
        Replayed: {
          description: '`true` where the request was carried out before, and this is its answer.',
          schema: { type: 'boolean' },
          example: true,
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
          description: 'The copy that the client has is still current. There is no body.',
          headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
        },
        ...Object.fromEntries(errorStatuses(routes).map((status) => describeErrors(status, routes, examples))),
      },
    },
  };
}

function introduction(versionHeader: string): string {
  return `The REST surface of Sallyport. Every route executes an operation of the GraphQL surface at \`/graphql\`, with the
same rules, limits and errors.

- Every request carries \`Authorization: Bearer <API key>\` and \`${versionHeader}: ${serviceVersion}\`.
- Bodies are JSON objects of at most 1 MiB. Unknown fields are refused, so that a typo does not pass silently.
- On create, null and the empty value of a field's type (\`""\`, \`[]\`, \`{}\`, 0) mean "not given" for optional fields. A PATCH
  keeps omitted fields, and \`""\` clears \`description\` and \`metadata\`. A PUT replaces the whole module: omitted fields
  return to their defaults.
- Every answer contains every field: \`""\`, \`[]\` or null if nothing is set. Later versions may add fields.
- Lists are newest first. \`next_page_uri\` leads to the next page; it is null on the last one.
- A change that is sent again with the same \`Idempotency-Key\` happens once, and gets the first answer.
- Every non-2xx answer has the body of the schema \`Error\`, with a stable code.`;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Serializes a description exactly as the file that is checked in. */
export function writeOpenApi(document: OpenApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
