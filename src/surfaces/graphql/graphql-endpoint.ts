// The GraphQL endpoint: it reads requests, and yoga answers them.

import type { Request } from 'express';
import type { ErrorCode } from '../../domain/error-catalogue.ts';
import { isPassing, statusOf } from '../../domain/error-status.ts';
import { SallyportError } from '../../domain/errors.ts';
import { writeAnswer } from '../../graphql/execution/answer.ts';
import {
  isPrepared,
  notePrepared,
  operationTypeOf,
  parseDocument,
  prepareDocument,
} from '../../graphql/execution/documents.ts';
import {
  type ClientAnswer,
  type GraphQLEngine,
  type Method,
  prepareVariables,
  subscriptionOf,
} from '../../graphql/execution/yoga.ts';
import { readInTurn } from '../../load/admission.ts';
import { type Estimate, estimateCost } from '../../load/cost.ts';
import { smallBodyBytesMax } from '../../load/limits.ts';
import { type AnswerOnce, carriesKey } from '../../pipeline/answer-once.ts';
import { hasLargeBody } from '../../pipeline/body.ts';
import type { ContextOf } from '../../pipeline/contexts.ts';
import type { Callers } from '../../pipeline/identify.ts';
import { preferredType } from '../../pipeline/negotiation.ts';
import type { Receive } from '../../pipeline/receive.ts';
import { type Caller, clientGone, type Reply } from '../../pipeline/request.ts';
import type { IdempotentRequest } from '../../storage/idempotency.ts';
import { answerOtherMethod } from '../../wire/methods.ts';
import { type Answer, sendAnswer, sendTogether } from '../../wire/send.ts';
import type { StreamForm } from '../kit/event-streams.ts';
import { type Follow, type Followed, streamType } from '../kit/follow.ts';
import { readGraphQLParameters } from './graphql-parameters.ts';

/** What the endpoint needs from the application. */
interface Endpoint {
  readonly callers: Pick<Callers, 'byKeyOrSession' | 'noteUse'>;
  readonly receive: Pick<Receive, 'withKey'>;
  readonly contextOf: ContextOf;
  readonly answerOnce: AnswerOnce;
  readonly follow: Follow;
}

/** Media types of the answers to queries and mutations, which never come in parts. */
const responseType = 'application/graphql-response+json';
const mediaTypes = ['application/json', responseType];

/** The methods of the endpoint; HEAD is GET without the body. */
const methods = ['GET', 'HEAD', 'POST'];

/** Creates the handler of the endpoint. It throws the error of every request that it refuses. */
export function createGraphQLEndpoint(engine: GraphQLEngine, endpoint: Endpoint) {
  const { receive, contextOf, answerOnce } = endpoint;
  const { byKeyOrSession: identify, noteUse } = endpoint.callers;
  /** Answers a request. Returns a stream as a function, instead of waiting for its end. */
  const answer = async (request: Request, reply: Reply): Promise<(() => Promise<void>) | undefined> => {
    const hasBody = request.method === 'POST';
    const received = await receive.withKey(request, reply, { identify, check: checkAccept, hasBody });
    const { caller } = received;
    const body = hasBody ? parametersIn(received.body) : readGraphQLParameters(request.url);
    const { operationName, variables } = { operationName: null, variables: null, ...body };
    const text = 'query' in body && typeof body.query === 'string' ? body.query : '';
    const isLarge = hasLargeBody(request);
    // Checking a new document, or many values, takes milliseconds, and a client may send some over each of its connections.
    if (isLarge || !isPrepared(text)) {
      const prepare = (work: () => void) => readInTurn(caller.accountId, work, clientGone(reply));
      await prepare(() => prepareDocument(text));
      if (isLarge) await prepare(() => prepareVariables(text, operationName, variables));
      await identify(request, reply);
    }
    const operation = operationTypeOf(text, operationName);
    const isStream = operation === 'subscription';
    if (operation !== null && preferredType(request, isStream ? [streamType] : mediaTypes) === null)
      throw notAcceptable(isStream);
    if (isStream) return follow(engine, endpoint, request, reply, caller, body, text);
    noteUse(request, caller);
    const make = async (known: IdempotentRequest | null) => {
      const context = contextOf(reply, caller, known, body);
      const answer = answerOf(await engine.ask(body, methodOf(request), context), request);
      return { isKept: known !== null && isFinal(answer, known), ...answer };
    };
    // An idempotency key on a read is ignored.
    const once = carriesKey(request) && operation === 'mutation';
    if (once) notePrepared(reply.locals, text, operationName);
    const changing = { request, reply, identity: caller, asks: () => ['GraphQL'] };
    await sendTogether(reply, once ? await answerOnce(changing, make) : await make(null));
    return undefined;
  };
  return async (request: Request, reply: Reply): Promise<void> => {
    if (!methods.includes(request.method)) {
      answerOtherMethod(['GET', 'POST'], request, reply);
      return;
    }
    const stream = await answer(request, reply);
    await stream?.();
  };
}

/**
 * Prepares the answer to a subscription: a stream, or the error. The caller sends it, so that nothing of the request is kept while
 * the stream goes on.
 *
 * @throws BODY_TOO_LARGE, and what `EventStreams.serve` throws
 */
async function follow(
  engine: GraphQLEngine,
  endpoint: Endpoint,
  request: Request,
  reply: Reply,
  caller: Caller,
  body: object,
  text: string,
): Promise<() => Promise<void>> {
  if (hasLargeBody(request)) {
    throw new SallyportError('BODY_TOO_LARGE', `A subscription may have at most ${smallBodyBytesMax} bytes.`);
  }
  const context = endpoint.contextOf(reply, caller, null, body);
  const refusal = await engine.ask(body, methodOf(request), context);
  const subscription = subscriptionOf(context);
  if (subscription === null) return async () => sendAnswer(reply, answerOf(refusal, request));
  const { document, operationName, variables } = subscription;
  const asked = { text, operationName, variables: JSON.stringify(variables) };
  const estimate = estimateCost(document, operationName, variables);
  const followed = followedBy(engine, endpoint, reply, caller, asked, estimate);
  return () => endpoint.follow(request, reply, caller, followed);
}

/** What is kept of a subscription. Its parsed document is in the cache that all share, and is parsed again if it is not. */
interface Asked {
  readonly text: string;
  readonly operationName: string | null;
  /** As JSON. */
  readonly variables: string;
}

/** Creates the stream of a subscription. It keeps only the text of the request. */
function followedBy(
  engine: GraphQLEngine,
  { callers, contextOf }: Endpoint,
  reply: Reply,
  caller: Caller,
  asked: Asked,
  estimate: Estimate,
): Followed {
  const read = () => ({
    document: parseDocument(asked.text),
    operationName: asked.operationName,
    // Written by `follow`.
    variables: JSON.parse(asked.variables) as Record<string, unknown>,
  });
  const contextOfEvent = (reply: Reply, caller: Caller) => contextOf(reply, caller, null, {});
  return {
    form,
    estimate,
    identify: callers.byKeyOrSession,
    contextOf: contextOfEvent,
    begin: () => engine.begin(read(), contextOfEvent(reply, caller)).catch(throwNamingField),
    async answer(event, context) {
      const { document, variables, operationName } = read();
      return writeAnswer(await engine.execute(document, variables, context, operationName, event), context);
    },
  };
}

/** Checks that a client accepts what the endpoint answers with. Throws NOT_ACCEPTABLE. */
function checkAccept(request: Request): void {
  if (preferredType(request, [...mediaTypes, streamType]) === null) throw notAcceptable(false);
}

function notAcceptable(isStream: boolean): SallyportError {
  return new SallyportError(
    'NOT_ACCEPTABLE',
    isStream
      ? `Subscriptions are answered as a stream of events: send "Accept: ${streamType}".`
      : 'GraphQL answers are JSON: send "Accept: application/json".',
  );
}

/** The distinct connections mode of graphql-sse (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md). */
const form: StreamForm = {
  hasIds: false,
  name: 'next',
  lastWords: ({ code, message }) =>
    `event: next\ndata: ${JSON.stringify({ errors: [{ message, extensions: { code } }] })}\n\nevent: complete\ndata:\n\n`,
};

/** Rethrows an error with its field in front of the message, as in answers that are not streams. */
function throwNamingField(error: unknown): never {
  if (!(error instanceof SallyportError) || error.field === undefined) throw error;
  throw new SallyportError(error.code, `${error.field}: ${error.message}`, { cause: error.cause });
}

/** Returns the parameters in a body. Throws BAD_REQUEST. */
function parametersIn(body: object | undefined): object {
  if (body === undefined || Object.keys(body).length === 0) {
    throw new SallyportError('BAD_REQUEST', 'Send the GraphQL document as "query" in a JSON object.');
  }
  return body;
}

/** Returns the method of a request whose parameters have been read. */
function methodOf({ method }: Request): Method {
  return method === 'POST' ? method : 'GET';
}

/**
 * Errors that set the status for every client: the request is not a GraphQL request, or may no longer be answered when its turn
 * comes. For all others, clients that want JSON find the code in the answer.
 */
const ofHttp: readonly ErrorCode[] = ['BAD_REQUEST', 'IP_RESTRICTED', 'METHOD_NOT_ALLOWED', 'UNAUTHENTICATED'];

/** Returns an answer with the status and headers that GraphQL over HTTP requires for its media type. */
function answerOf({ body, refusal }: ClientAnswer, request: Request): Answer {
  // A client that accepts only streams gets errors in the media type whose status tells them.
  const type = preferredType(request, mediaTypes) ?? responseType;
  const statuses = (refusal ?? []).map((code) => {
    const isTold = type === responseType || ofHttp.includes(code) || statusOf[code] >= 500;
    return isTold ? statusOf[code] : 200;
  });
  return {
    status: Math.max(200, ...statuses),
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      ...(refusal?.includes('METHOD_NOT_ALLOWED') ? { Allow: 'POST' } : {}),
      ...(refusal?.includes('UNAUTHENTICATED') ? { 'WWW-Authenticate': 'Bearer' } : {}),
    },
    body,
  };
}

/**
 * Returns whether a repeated request gets the same answer: one with errors only if something was changed and the errors are not
 * temporary. A repetition retries what has failed, and nothing else.
 */
function isFinal({ body }: Answer, { hasChanged }: IdempotentRequest): boolean {
  if (typeof body !== 'string') return false;
  // Every GraphQL answer has this form.
  const { errors = [] } = JSON.parse(body) as { errors?: { extensions: { code: ErrorCode } }[] };
  return errors.length === 0 || (hasChanged && errors.every(({ extensions }) => !isPassing(extensions.code)));
}
