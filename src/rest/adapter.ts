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
import { fromGraphQLError } from '../http/errors.ts';
import type { Reply } from '../http/request.ts';
import { sendWritten } from '../http/send.ts';
import { readVariables } from './input.ts';
import { type Operation, readOperations } from './operation.ts';
import { type Method, type Route, successStatus } from './route.ts';

/** What the adapter works with. */
export interface AdapterOptions {
  readonly engine: GraphQLEngine;
  /** Checks what every request must bring, and gives the context to execute it in. Throws coded errors. */
  readonly admit: (request: Request, reply: Reply) => Promise<Context>;
}

/**
 * Creates the router of the REST surface. Its handlers throw coded errors, with fields in REST spelling.
 *
 * @throws Error when a document does not fit the schema or its route
 */
export function createRestRouter(routes: readonly Route[], options: AdapterOptions): Router {
  const router = express.Router({ caseSensitive: true });
  // One layer of the router for each path, with all its methods.
  const operationsByPath = groupBy(readOperations(routes, schema), ({ route }) => route.path);
  for (const [path, operations] of operationsByPath) {
    const place = router.route(expressPath(path));
    for (const operation of operations) {
      place[routerMethods[operation.route.method]]((request: Request, reply: Reply) =>
        answer(operation, request, reply, options),
      );
    }
    const methods = operations.map(({ route }) => route.method);
    place.all((request: Request, reply: Reply) => answerOtherMethod(methods, request, reply));
  }
  return router;
}

const routerMethods = { GET: 'get', POST: 'post', PATCH: 'patch', PUT: 'put', DELETE: 'delete' } as const;

/** Writes a path of the documentation as Express writes it: `{id}` as `:id`. */
function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

async function answer(operation: Operation, request: Request, reply: Reply, { engine, admit }: AdapterOptions) {
  const { method, path, document } = operation.route;
  reply.locals.trace.operation = `${method} ${path}`;
  const context = await admit(request, reply);
  const variables = readVariables(operation, {
    path: pathParameters(operation, request),
    query: queryOf(request),
    body:
      method === 'GET' || method === 'DELETE'
        ? undefined
        : await readJsonBody(request, reply, context.identity.accountId),
    ifMatch: request.headers['if-match'],
  });
  const status = successStatus[method];
  // What a change costs depends on what it changes, not on how much of it is sent.
  const estimate = estimateCost(document, null, method === 'GET' ? variables : {});
  const answered = await makeAnswer(context, estimate, async () => {
    const body = readBody(operation, await engine.execute(document, variables, context));
    if (body === null) return null;
    const { etag, ...shown } = body;
    return { etag, shown, written: await writeAnswer(shown, context) };
  });

  if (answered === null) {
    reply.status(status).end();
    return;
  }
  const { etag, shown, written } = answered;
  if (typeof etag === 'number') reply.setHeader('ETag', `"${etag}"`);
  // Express knows when 304 is enough.
  if (etag !== undefined && request.headers['if-none-match'] !== undefined) reply.status(status).json(shown);
  else sendWritten(reply, status, written);
}

/** Takes the answer out of the result, or throws the first error in it. */
function readBody(
  { bodyPath, restNameOf }: Operation,
  { data, errors }: ExecutionResult,
): Record<string, unknown> | null {
  const [error] = errors ?? [];
  if (error !== undefined) throw inRestSpelling(fromGraphQLError(error), restNameOf);
  if (bodyPath === null) return null;
  let value: unknown = data;
  for (const name of bodyPath) {
    // What may be null on the way to the answer is a part of an object that is not set, such as a module.
    if (typeof value !== 'object' || value === null) break;
    // Any object may be read by names, of its own.
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }
  if (typeof value !== 'object' || value === null) throw notFound();
  // Any object may be read by names.
  return value as Record<string, unknown>;
}

/** Gives the field to blame the name that it has on the REST surface: `before_id` for `after`. */
function inRestSpelling(error: SallyportError, restNameOf: ReadonlyMap<string, string>): SallyportError {
  const [, name = '', place = ''] = /^(\w+)(.*)$/.exec(error.field ?? '') ?? [];
  const restName = restNameOf.get(name);
  if (restName === undefined) return error;
  return new SallyportError(error.code, error.message, { field: `${restName}${place}`, cause: error.cause });
}

function pathParameters({ pathFields }: Operation, { params }: Request): Record<string, string> {
  const parameters: Record<string, string> = {};
  // Only a wildcard gives a list, and no path of ours has one.
  for (const name of pathFields) parameters[name] = String(params[name]);
  return parameters;
}

const noQuery = new URLSearchParams();

function queryOf({ url }: Request): URLSearchParams {
  const mark = url.indexOf('?');
  return mark === -1 ? noQuery : new URLSearchParams(url.slice(mark));
}

/**
 * Answers a method that a path does not have, with those that it has.
 *
 * @throws METHOD_NOT_ALLOWED, but for OPTIONS
 */
export function answerOtherMethod(methods: readonly Method[], { method }: Request, reply: Reply): void {
  const allowed = [...(methods.includes('GET') ? ['HEAD'] : []), ...methods, 'OPTIONS'].join(', ');
  reply.set('Allow', allowed);
  if (method !== 'OPTIONS') {
    throw new SallyportError('METHOD_NOT_ALLOWED', `This path has no ${method}. It has ${allowed}.`);
  }
  reply.status(204).end();
}
