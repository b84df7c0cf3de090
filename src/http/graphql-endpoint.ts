// The endpoint of GraphQL: it reads requests, and yoga answers them.

import type { Request } from 'express';
import { type ErrorCode, SallyportError } from '../domain/errors.ts';
import { readInTurn } from '../graphql/admission.ts';
import type { Context } from '../graphql/context.ts';
import { isKept, isMutation, prepareDocument } from '../graphql/documents.ts';
import { isPassing } from '../graphql/errors.ts';
import { dataWrittenApart, type GraphQLEngine } from '../graphql/yoga.ts';
import type { IdempotentRequest } from '../storage/idempotency.ts';
import { readJsonBody } from './body.ts';
import { readGraphQLParameters } from './graphql-parameters.ts';
import { type AnswerOnce, carriesKey } from './idempotency.ts';
import { type Caller, clientGone, type Reply } from './request.ts';
import { type Answer, sendAnswer } from './send.ts';

/** What the endpoint gets from the application. */
interface Endpoint {
  /** Finds whom a request acts for. Rejects with why it must not be answered. */
  readonly identify: (request: Request, reply: Reply) => Promise<Caller>;
  /** Makes the context of a request, whose body is the client's own. */
  readonly contextOf: (reply: Reply, caller: Caller, body: object, known: IdempotentRequest | null) => Context;
  readonly answerOnce: AnswerOnce;
}

/**
 * What GraphQL answers with. Nothing here comes in parts, and an answer of one part, or a stream of one event, would be written
 * in one go.
 */
const mediaTypes = ['application/json', 'application/graphql-response+json'];

/** Creates the handler of the endpoint. Everything that it refuses, it throws. */
export function createGraphQLEndpoint(engine: GraphQLEngine, { identify, contextOf, answerOnce }: Endpoint) {
  return async (request: Request, reply: Reply): Promise<void> => {
    const caller = await identify(request, reply);
    if (request.accepts(mediaTypes) === false) {
      throw new SallyportError('BAD_REQUEST', 'GraphQL answers are JSON: send "Accept: application/json".');
    }
    const body = await readParameters(request, reply, caller.accountId, () => identify(request, reply));
    // To check a new document takes milliseconds, and a client may send others over each of its connections.
    const text = 'query' in body && typeof body.query === 'string' ? body.query : '';
    if (!isKept(text)) await readInTurn(caller.accountId, () => prepareDocument(text), clientGone(reply));
    const make = async (known: IdempotentRequest | null) => {
      const context = contextOf(reply, caller, body, known);
      const answer = await answerBy(engine, request, reply, context);
      return { ...answer, isKept: known !== null && isFinal(answer, known) };
    };
    // A key on what only reads is ignored.
    const once =
      carriesKey(request) && isMutation(reply.locals, text, 'operationName' in body ? body.operationName : null);
    const changing = { request, reply, identity: caller, asks: () => ['GraphQL'] };
    sendAnswer(reply, once ? await answerOnce(changing, make) : await make(null));
  };
}

async function readParameters(
  request: Request,
  reply: Reply,
  accountId: string,
  identifyAgain: () => Promise<unknown>,
): Promise<object> {
  if (request.method === 'GET') return readGraphQLParameters(request.url);
  if (request.method !== 'POST') {
    reply.set('Allow', 'GET, POST');
    throw new SallyportError('METHOD_NOT_ALLOWED', 'Send GraphQL requests with POST, or queries with GET.');
  }
  const body = await readJsonBody(request, reply, accountId, identifyAgain);
  if (body === undefined || Object.keys(body).length === 0) {
    throw new SallyportError('BAD_REQUEST', 'Send the GraphQL document as "query" in a JSON object.');
  }
  return body;
}

/** Headers that speak of the connection, which is Node's own affair (RFC 9110, section 7.6.1). */
const ofConnection = new Set(['connection', 'transfer-encoding']);

/** Answers a request by what yoga makes of it. */
async function answerBy({ yoga }: GraphQLEngine, request: Request, reply: Reply, context: Context): Promise<Answer> {
  const { method, url } = request;
  // Yoga might choose what it can write in parts, where a client takes that as well.
  const accept = request.headers.accept?.split(',').filter((type) => !/multipart|event-stream/i.test(type));
  const headers = { ...request.headers, ...(accept === undefined ? {} : { accept: accept.join(',') }) };
  // Without what Express adds to a request, which yoga would look through. The body has been read.
  const response = await yoga.handleNodeRequestAndResponse({ method, url, headers, body: ' ' }, reply, context);
  const own = [...response.headers].filter(([name]) => !ofConnection.has(name.toLowerCase()));
  const text = await response.text();
  const apart = dataWrittenApart(context);
  return {
    status: response.status,
    headers: Object.fromEntries(own),
    body: apart === null ? text : joined(text, apart),
  };
}

/**
 * Tells whether a request that is repeated is to get the same answer: with errors only where something was changed, and where they
 * would not pass. A repetition tries again what has failed, and only that.
 */
function isFinal({ body }: Answer, { hasChanged }: IdempotentRequest): boolean {
  if (typeof body !== 'string') return false;
  // The form of every answer of GraphQL.
  const { errors = [] } = JSON.parse(body) as { errors?: { extensions: { code: ErrorCode } }[] };
  return errors.length === 0 || (hasChanged && errors.every(({ extensions }) => !isPassing(extensions.code)));
}

/** Joins the text of a JSON object with another one that was written apart. */
function joined(text: string, [first = Buffer.alloc(0), ...others]: readonly Buffer[]): Buffer[] {
  return [Buffer.from(`${text.slice(0, -1)}${text === '{}' ? '' : ','}`), first.subarray(1), ...others];
}
