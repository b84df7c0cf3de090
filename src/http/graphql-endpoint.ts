// The endpoint of GraphQL: it reads requests, and yoga answers them.

import type { Request } from 'express';
import { SallyportError } from '../domain/errors.ts';
import { readInTurn } from '../graphql/admission.ts';
import type { Context } from '../graphql/context.ts';
import { isKept, prepareDocument } from '../graphql/documents.ts';
import { dataWrittenApart, type GraphQLEngine } from '../graphql/yoga.ts';
import { readJsonBody } from './body.ts';
import { readGraphQLParameters } from './graphql-parameters.ts';
import type { Caller, Reply } from './request.ts';
import { sendWritten } from './send.ts';

/** What the endpoint gets from the application. */
interface Endpoint {
  /** Finds whom a request acts for. Rejects with why it must not be answered. */
  readonly identify: (request: Request, reply: Reply) => Promise<Caller>;
  /** The same for a request that has just come, which counts from here on. */
  readonly begin: (request: Request, reply: Reply) => Promise<Caller>;
  /** Makes the context of a request, whose body is the client's own. */
  readonly contextOf: (reply: Reply, caller: Caller, body: object) => Context;
}

/**
 * What GraphQL answers with. Nothing here comes in parts, and an answer of one part, or a stream of one event, would be written
 * in one go.
 */
const mediaTypes = ['application/json', 'application/graphql-response+json'];

/** Creates the handler of the endpoint. Everything that it refuses, it throws. */
export function createGraphQLEndpoint(engine: GraphQLEngine, { identify, begin, contextOf }: Endpoint) {
  return async (request: Request, reply: Reply): Promise<void> => {
    const caller = await begin(request, reply);
    if (request.accepts(mediaTypes) === false) {
      throw new SallyportError('BAD_REQUEST', 'GraphQL answers are JSON: send "Accept: application/json".');
    }
    const body = await readParameters(request, reply, caller.accountId, () => identify(request, reply));
    const context = contextOf(reply, caller, body);
    // To check a new document takes milliseconds, and a client may send others over each of its connections.
    const text = 'query' in body && typeof body.query === 'string' ? body.query : '';
    if (!isKept(text)) await readInTurn(caller.accountId, () => prepareDocument(text), context.signal);
    await answer(engine, request, reply, context);
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
async function answer({ yoga }: GraphQLEngine, request: Request, reply: Reply, context: Context): Promise<void> {
  const { method, url } = request;
  // Yoga might choose what it can write in parts, where a client takes that as well.
  const accept = request.headers.accept?.split(',').filter((type) => !/multipart|event-stream/i.test(type));
  const headers = { ...request.headers, ...(accept === undefined ? {} : { accept: accept.join(',') }) };
  // Without what Express adds to a request, which yoga would look through. The body has been read.
  const response = await yoga.handleNodeRequestAndResponse({ method, url, headers, body: ' ' }, reply, context);
  for (const [name, value] of response.headers) if (!ofConnection.has(name.toLowerCase())) reply.setHeader(name, value);
  const text = await response.text();
  const apart = dataWrittenApart(context);
  sendWritten(reply, response.status, apart === null ? text : joined(text, apart));
}

/** Joins the text of a JSON object with another one that was written apart. */
function joined(text: string, [first = Buffer.alloc(0), ...others]: readonly Buffer[]): Buffer[] {
  return [Buffer.from(`${text.slice(0, -1)}${text === '{}' ? '' : ','}`), first.subarray(1), ...others];
}
