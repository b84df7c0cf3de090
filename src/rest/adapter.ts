// The adapter: serves the rows of the route table on Express by executing their documents. Nothing else knows both.

import express, { type Request, type Router } from 'express';
import type { ExecutionResult } from 'graphql';
import { notFound, SallyportError } from '../domain/errors.ts';
import { groupBy } from '../domain/group-by.ts';
import { makeAnswer } from '../graphql/admission.ts';
import { writeAnswer } from '../graphql/answer.ts';
import type { Context } from '../graphql/context.ts';
import { estimateCost } from '../graphql/cost.ts';
import { schema } from '../graphql/schema.ts';
import type { GraphQLEngine } from '../graphql/yoga.ts';
import { readJsonBody } from '../http/body.ts';
import { errorBody, fromGraphQLError } from '../http/errors.ts';
import type { EventStreams } from '../http/event-streams.ts';
import { answerOtherMethod } from '../http/methods.ts';
import { queryTextOf, type Reply } from '../http/request.ts';
import { sendNothing, sendWritten } from '../http/send.ts';
import { forceHeader } from './document.ts';
import { readVariables } from './input.ts';
import { type PreparedRoute, prepareRoutes } from './prepared-route.ts';
import { type Route, successStatus } from './route.ts';

/** What the adapter works with. */
export interface AdapterOptions {
  readonly engine: GraphQLEngine;
  readonly streams: EventStreams;
  /** Checks what every request must bring, and gives the context to execute it in. Throws coded errors. */
  readonly admit: (request: Request, reply: Reply) => Promise<Context>;
  /** Asks anew whether a request that was admitted may still be answered, and gives a fresh context for it. Throws coded errors. */
  readonly renew: (request: Request, reply: Reply) => Promise<Context>;
}

/**
 * Creates the router of the REST surface. Its handlers throw coded errors, with fields in REST spelling.
 *
 * @throws Error when a document does not fit the schema or its route
 */
export function createRestRouter(routes: readonly Route[], options: AdapterOptions): Router {
  const router = express.Router({ caseSensitive: true });
  // One layer of the router for each path, with all its methods.
  const routesByPath = groupBy(prepareRoutes(routes, schema), ({ route }) => route.path);
  for (const [path, preparedRoutes] of routesByPath) {
    const place = router.route(expressPath(path));
    for (const prepared of preparedRoutes) {
      place[routerMethods[prepared.route.method]]((request: Request, reply: Reply) =>
        (prepared.streams ? stream : answer)(prepared, request, reply, options),
      );
    }
    const methods = preparedRoutes.map(({ route }) => route.method);
    place.all((request: Request, reply: Reply) => answerOtherMethod(methods, request, reply));
  }
  return router;
}

const routerMethods = { GET: 'get', POST: 'post', PATCH: 'patch', PUT: 'put', DELETE: 'delete' } as const;

/** Writes a path of the documentation as Express writes it: `{id}` as `:id`. */
function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

async function answer(prepared: PreparedRoute, request: Request, reply: Reply, { engine, admit }: AdapterOptions) {
  const { method, path, document } = prepared.route;
  reply.locals.trace.route = `${method} ${path}`;
  const context = await admit(request, reply);
  const variables = readVariables(prepared, {
    path: pathParameters(prepared, request),
    query: queryOf(request),
    body:
      method === 'GET' || method === 'DELETE'
        ? undefined
        : await readJsonBody(request, reply, context.identity.accountId, () => admit(request, reply)),
    ifMatch: request.headers['if-match'],
    force: request.get(forceHeader),
  });
  const status = successStatus[method];
  // What a change costs depends on what it changes, not on how much of it is sent.
  const estimate = estimateCost(document, null, method === 'GET' ? variables : {});
  const answered = await makeAnswer(context, estimate, async () => {
    const body = readBody(prepared, await engine.execute(document, variables, context));
    if (body === null) return null;
    const { etag, ...shown } = body;
    return { etag, written: await writeAnswer(shown, context) };
  });

  if (answered === null) {
    sendNothing(reply, status);
    return;
  }
  const { etag, written } = answered;
  if (typeof etag === 'number') reply.setHeader('ETag', `"${etag}"`);
  sendWritten(reply, status, written);
}

/** Answers with a stream of events. Whoever may not have the next one any more, because of a key or an address, gets no more. */
async function stream(prepared: PreparedRoute, request: Request, reply: Reply, options: AdapterOptions) {
  const { engine, admit, renew, streams } = options;
  const { method, path, document } = prepared.route;
  reply.locals.trace.route = `${method} ${path}`;
  const context = await admit(request, reply);
  const query = new URLSearchParams(queryOf(request));
  // What a client has had since it began counts more than where it began (HTML, section 9.2.4).
  const lastId = request.get('Last-Event-ID');
  if (lastId) query.set('after', lastId);
  const variables = readVariables(prepared, {
    path: pathParameters(prepared, request),
    query,
    body: undefined,
    ifMatch: request.headers['if-match'],
    force: undefined,
  });
  const estimate = estimateCost(document, null, variables);
  const { accountId, apiKeyId } = context.identity;
  if (request.method === 'HEAD') {
    reply.setHeader('Content-Type', 'text/event-stream');
    sendNothing(reply, 200);
    return;
  }
  await streams.serve(reply, {
    accountId,
    apiKeyId,
    form: {
      hasIds: true,
      name: null,
      lastWords: (error) => `event: end\ndata: ${JSON.stringify(errorBody(error, context.requestId))}\n\n`,
    },
    begin: () => engine.begin({ document, variables, operationName: null }, context),
    async answer(event) {
      const now = await renew(request, reply);
      return makeAnswer(now, estimate, async () => {
        const body = readBody(prepared, await engine.execute(document, variables, now, null, event));
        return writeAnswer(body ?? {}, now);
      });
    },
  });
}

/** Takes the answer out of the result, or throws the first error in it. */
function readBody(
  { bodyPath, restNameOf }: PreparedRoute,
  { data, errors }: ExecutionResult,
): Record<string, unknown> | null {
  const [error] = errors ?? [];
  if (error !== undefined) throw inRestSpelling(fromGraphQLError(error), restNameOf);
  if (bodyPath === null) return null;
  let value: unknown = data;
  for (const name of bodyPath) {
    // What may be null on the way to the answer is a part of an object that is not set, such as a module.
    if (typeof value !== 'object' || value === null) break;
    // Safe cast: a non-null object.
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }
  if (typeof value !== 'object' || value === null) throw notFound();
  // Safe cast: a non-null object.
  return value as Record<string, unknown>;
}

/** Gives the field to blame the name that it has on the REST surface: `before_id` for `after`. */
function inRestSpelling(error: SallyportError, restNameOf: ReadonlyMap<string, string>): SallyportError {
  const [, name = '', place = ''] = /^(\w+)(.*)$/.exec(error.field ?? '') ?? [];
  const restName = restNameOf.get(name);
  if (restName === undefined) return error;
  return new SallyportError(error.code, error.message, { field: `${restName}${place}`, cause: error.cause });
}

function pathParameters({ pathFields }: PreparedRoute, { params }: Request): Record<string, string> {
  const parameters: Record<string, string> = {};
  // Only a wildcard gives a list, and no path of ours has one.
  for (const name of pathFields) parameters[name] = String(params[name]);
  return parameters;
}

const noQuery = new URLSearchParams();

function queryOf({ url }: Request): URLSearchParams {
  const text = queryTextOf(url);
  return text === '' ? noQuery : new URLSearchParams(text);
}
