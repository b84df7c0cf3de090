// The adapter: serves the route table on Express by executing the documents of the routes. Nothing else knows both.

import express, { type Request, type RequestHandler, type Router } from 'express';
import type { ExecutionResult } from 'graphql';
import type { ErrorCode } from '../../domain/error-catalogue.ts';
import { notFound, SallyportError } from '../../domain/errors.ts';
import { groupBy } from '../../domain/values/maps.ts';
import { writeAnswer } from '../../graphql/execution/answer.ts';
import type { GraphQLEngine } from '../../graphql/execution/yoga.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { schema } from '../../graphql/schema.ts';
import { answerInTurn, readInTurn } from '../../load/admission.ts';
import { estimateCost } from '../../load/cost.ts';
import type { AnswerOnce } from '../../pipeline/answer-once.ts';
import { hasLargeBody } from '../../pipeline/body.ts';
import type { ContextOf } from '../../pipeline/contexts.ts';
import type { Callers } from '../../pipeline/identify.ts';
import type { Receive } from '../../pipeline/receive.ts';
import { forceHeader, queryTextOf, type Reply } from '../../pipeline/request.ts';
import { fromGraphQLError } from '../../pipeline/rest-errors.ts';
import { errorBody } from '../../wire/error-body.ts';
import { answerOtherMethod } from '../../wire/methods.ts';
import { type Answer, sendTogether } from '../../wire/send.ts';
import type { Follow } from '../kit/follow.ts';
import { type Input, readVariables } from './input.ts';
import { type PreparedRoute, prepareRoutes } from './prepared-route.ts';
import { hasBody, type Route, successStatus } from './route.ts';

export interface AdapterOptions {
  readonly engine: GraphQLEngine;
  readonly callers: Pick<Callers, 'byKey' | 'bySubject'>;
  readonly receive: Receive;
  readonly contextOf: ContextOf;
  readonly answerOnce: AnswerOnce;
  readonly follow: Follow;
  /** Checks the API version of a request. Throws UNSUPPORTED_VERSION. */
  readonly checkVersion: (request: Request) => void;
}

/**
 * Creates the router of the REST surface. Its handlers throw coded errors, with fields in REST spelling.
 *
 * @throws Error if a document does not fit its route
 */
export function createRestRouter(routes: readonly Route[], options: AdapterOptions): RequestHandler {
  const bySegment = groupBy(prepareRoutes(routes, schema), ({ route }) => firstSegment(route.path));
  const routers = new Map([...bySegment].map(([segment, prepared]) => [segment, createRouter(prepared, options)]));
  return (request, reply, next) => {
    const router = routers.get(firstSegment(request.path));
    if (router === undefined) next();
    else router(request, reply, next);
  };
}

/** Returns the first segment of a path, which selects the router: a single router with all paths would try them one by one. */
function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return end === -1 ? path : path.slice(0, end);
}

function createRouter(routes: readonly PreparedRoute[], options: AdapterOptions): Router {
  const router = express.Router({ caseSensitive: true });
  // One router layer per path, with all its methods.
  for (const [path, preparedRoutes] of groupBy(routes, ({ route }) => route.path)) {
    const route = router.route(expressPath(path));
    for (const prepared of preparedRoutes) {
      route[routerMethods[prepared.route.method]]((request: Request, reply: Reply) =>
        (prepared.streams ? stream : answer)(prepared, request, reply, options),
      );
    }
    const methods = preparedRoutes.map(({ route }) => route.method);
    route.all((request: Request, reply: Reply) => answerOtherMethod(methods, request, reply));
  }
  return router;
}

const routerMethods = { GET: 'get', POST: 'post', PATCH: 'patch', PUT: 'put', DELETE: 'delete' } as const;

/** Converts a documented path to Express syntax: `{id}` becomes `:id`. */
function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

async function answer(prepared: PreparedRoute, request: Request, reply: Reply, options: AdapterOptions) {
  const { method, path } = prepared.route;
  reply.locals.trace.route = `${method} ${path}`;
  const { caller, body } = await receive(prepared, request, reply, options);
  const sent: Input = {
    path: pathParameters(prepared, request),
    query: queryOf(request),
    body,
    ifMatch: request.headers['if-match'],
    ifNoneMatch: request.headers['if-none-match'],
    force: request.get(forceHeader),
  };
  const make = async (known: Context['idempotency']) => {
    const context = options.contextOf(reply, caller, known);
    return execute(prepared, await readInput(prepared, sent, request, context), context, options.engine);
  };
  if (!prepared.changes) {
    await sendTogether(reply, await make(null));
    return;
  }
  // REST has some of its input in the path, the query and headers, where GraphQL has all of it in the body.
  const asks = () => {
    const target = [`${method} ${path}`, ...Object.values(sent.path), queryTextOf(request.url)];
    return [...target, sent.ifMatch ?? null, sent.force ?? null];
  };
  // Refusals are thrown, so every answer here is kept.
  const makeFirst = async (known: Context['idempotency']) => ({ isKept: true, ...(await make(known)) });
  await sendTogether(reply, await options.answerOnce({ request, reply, identity: caller, asks }, makeFirst));
}

/** Takes a request through the steps. Without an API key, a field of the body or path identifies the caller. */
function receive(prepared: PreparedRoute, request: Request, reply: Reply, options: AdapterOptions) {
  const { callers, checkVersion: check } = options;
  const { method, withoutKey } = prepared.route;
  if (withoutKey === undefined || request.headers.authorization !== undefined) {
    return options.receive.withKey(request, reply, { identify: callers.byKey, check, hasBody: hasBody(method) });
  }
  return options.receive.withoutKey(request, reply, {
    check,
    identify(body) {
      const given = new Map<string, unknown>(Object.entries({ ...body, ...pathParameters(prepared, request) }));
      const names = withoutKey.map((name) => given.get(name)).filter((name) => name != null);
      return callers.bySubject(request, reply, names[0], withoutKey);
    },
  });
}

type Variables = ReturnType<typeof readVariables>;

/** Reads the variables of a document, those of a large body in the account's turn. Throws as `readVariables` and `readInTurn`. */
async function readInput(prepared: PreparedRoute, sent: Input, request: Request, context: Context): Promise<Variables> {
  const read = () => readVariables(prepared, sent);
  if (!hasLargeBody(request)) return read();
  const variables = await readInTurn(context.identity.accountId, read, context.signal());
  await context.identifyAgain();
  return variables;
}

/** The code of a change that expected another version. */
const versionConflictCode: ErrorCode = 'VERSION_CONFLICT';

/** Executes the document of a route, and serializes its answer. Throws the first error of the result. */
async function execute(
  prepared: PreparedRoute,
  [first, ...others]: Variables,
  context: Context,
  engine: GraphQLEngine,
): Promise<Answer> {
  const { method, document } = prepared.route;
  const status = successStatus[method];
  return answerInTurn(context, estimateCost(document, null, first), async () => {
    let result = await engine.execute(document, first, context);
    for (const variables of others) {
      if (result.errors?.[0]?.extensions.code !== versionConflictCode) break;
      result = await engine.execute(document, variables, context);
    }
    const body = readBody(prepared, result);
    if (body === null) return { status, headers: {}, body: null };
    const { etag, ...shown } = body;
    const headers: Record<string, string> = typeof etag === 'number' ? { ETag: `"${etag}"` } : {};
    return { status, headers, body: await writeAnswer(shown, context) };
  });
}

/** Answers with a stream of events. It ends once the key or the address of the caller may no longer receive the next event. */
async function stream(prepared: PreparedRoute, request: Request, reply: Reply, options: AdapterOptions) {
  const { engine, callers, checkVersion, contextOf } = options;
  const { method, path, document } = prepared.route;
  reply.locals.trace.route = `${method} ${path}`;
  const identify = callers.byKey;
  const steps = { identify, check: checkVersion, hasBody: false };
  const { caller } = await options.receive.withKey(request, reply, steps);
  const query = new URLSearchParams(queryOf(request));
  // The last event that the client received takes precedence over where it began (HTML, section 9.2.4).
  const lastId = request.get('Last-Event-ID');
  if (lastId) query.set('after', lastId);
  const [variables] = readVariables(prepared, {
    path: pathParameters(prepared, request),
    query,
    body: undefined,
    ifMatch: request.headers['if-match'],
    ifNoneMatch: undefined,
    force: undefined,
  });
  const { requestId } = reply.locals.info;
  await options.follow(request, reply, caller, {
    form: {
      hasIds: true,
      name: null,
      lastWords: (error) => `event: end\ndata: ${JSON.stringify(errorBody(error, requestId))}\n\n`,
    },
    estimate: estimateCost(document, null, variables),
    identify,
    contextOf: (reply, caller) => contextOf(reply, caller, null),
    begin: () => engine.begin({ document, variables, operationName: null }, contextOf(reply, caller, null)),
    async answer(event, context) {
      const body = readBody(prepared, await engine.execute(document, variables, context, null, event));
      return writeAnswer(body ?? {}, context);
    },
  });
}

/** Extracts the answer from the result, or throws the first error in it. */
function readBody(
  { bodyPath, restNameOf }: PreparedRoute,
  { data, errors }: ExecutionResult,
): Record<string, unknown> | null {
  const [error] = errors ?? [];
  if (error !== undefined) throw inRestSpelling(fromGraphQLError(error), restNameOf);
  if (bodyPath === null) return null;
  let value: unknown = data;
  for (const name of bodyPath) {
    // A null on the path to the answer is an unset part of an object, such as a module.
    if (typeof value !== 'object' || value === null) break;
    // Safe cast: a non-null object.
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }
  if (typeof value !== 'object' || value === null) throw notFound();
  // Safe cast: a non-null object.
  return value as Record<string, unknown>;
}

/** Renames the field to blame to its REST name, such as `before_id` for `after`. */
function inRestSpelling(error: SallyportError, restNameOf: ReadonlyMap<string, string>): SallyportError {
  const { field = '' } = error;
  const [inModule = '', name = '', index = '', inner = ''] = /^(\w+)(\[\d+\])?(\.\w+)?/.exec(field) ?? [];
  const nameInModule = inner === '' ? undefined : restNameOf.get(name + inner)?.replace('.', `${index}.`);
  const restName = nameInModule ?? restNameOf.get(name);
  const rest = field.slice((nameInModule === undefined ? name : inModule).length);
  if (restName === undefined) return error;
  return new SallyportError(error.code, error.message, { field: `${restName}${rest}`, cause: error.cause });
}

function pathParameters({ pathFields }: PreparedRoute, { params }: Request): Record<string, string> {
  const parameters: Record<string, string> = {};
  // Only a wildcard parameter is a list, and our paths have none.
  for (const name of pathFields) parameters[name] = String(params[name]);
  return parameters;
}

const noQuery = new URLSearchParams();

function queryOf({ url }: Request): URLSearchParams {
  const text = queryTextOf(url);
  return text === '' ? noQuery : new URLSearchParams(text);
}
