// The GraphQL engine: the schema with its plugins (limits, error codes), for requests and for prepared documents.

import type { DocumentNode, GraphQLSchema } from 'graphql';
import { type GraphQLParams, type Plugin, YogaServer } from 'graphql-yoga';
import { type ErrorCode, SallyportError } from '../domain/errors.ts';
import { keptWith } from '../domain/kept-with.ts';
import type { Following } from '../storage/follower.ts';
import { makeAnswer } from './admission.ts';
import { type Written, writeAnswer } from './answer.ts';
import type { Context } from './context.ts';
import { checkEstimate, type Estimate, estimateCost } from './cost.ts';
import { parseDocument, validateDocument } from './documents.ts';
import { isErrorCode, statusOf, toPublicError } from './errors.ts';
import { createExecute, type Execute, type ExecutionOptions } from './execution.ts';
import { noteOperation } from './noting.ts';
import { schema } from './schema.ts';
import { beginSubscription, type Subscription } from './subscriptions.ts';
import { checkVariables } from './variables.ts';

/** The engine behind both surfaces. */
export interface GraphQLEngine {
  /** Has yoga answer what a client asks for, within the limits. It only checks subscriptions. */
  readonly ask: (parameters: object, method: Method, context: Context) => Promise<ClientAnswer>;
  /** Executes documents of our own. Yoga executes those of clients by it, after it has held them to the limits. */
  readonly execute: Execute;
  /** Begins a subscription, as `beginSubscription` does. */
  readonly begin: (subscription: Subscription, context: Context) => Promise<Following>;
}

/** The methods of GraphQL over HTTP. */
export type Method = 'GET' | 'POST';

/** What a client is answered. */
export interface ClientAnswer {
  readonly body: Written;
  /** The codes of the errors in an answer to what was not executed; null for what was. */
  readonly refusal: readonly ErrorCode[] | null;
}

/** The parameters of a GraphQL request (GraphQL over HTTP, "Request Parameters"). */
const parameterNames = ['query', 'variables', 'operationName', 'extensions'];

/** Creates the engine. */
export function createGraphQLEngine(options: ExecutionOptions): GraphQLEngine {
  const { report } = options;
  const execute = createExecute(options);
  // Not `createYoga`, whose HTTP adapter makes Node load all that `fetch` needs: an eighth of the processor time of a start (measured).
  const yoga = new YogaServer<Context, object>({
    schema,
    plugins: [prepareDocuments, executeBy(execute, report)],
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    // The first is done by whoever reads the body, and the others by `prepareDocuments` and `refuse`.
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    maskedErrors: false,
    logging: false,
  });
  // All that yoga needs to know of a request whose parameters have been read. Node's own `Request` would load `fetch` as well.
  const { Request } = yoga.fetchAPI;
  const requests: Readonly<Record<Method, Request>> = {
    GET: new Request('http://graphql'),
    POST: new Request('http://graphql', { method: 'POST' }),
  };

  return {
    async ask(parameters, method, context) {
      const reportHere = (error: unknown) => report(context.requestId, error);
      try {
        const params = checkParameters(parameters);
        const result = await yoga.getResultForParams({ params, request: requests[method] }, context);
        if (result === undefined || Symbol.asyncIterator in result) throw new Error('Yoga answers in parts.');
        if (!('data' in result)) return refuse(result.errors ?? [], context, reportHere);
        noteCode(result.errors?.[0]?.extensions.code, context);
        return { body: written.get(context) ?? JSON.stringify(result), refusal: null };
      } catch (error) {
        return refuse([error], context, reportHere);
      }
    },
    execute,
    begin: (subscription, context) =>
      beginSubscription(subscription, context, (cause) => report(context.requestId, cause)),
  };
}

/**
 * Checks what yoga does not: the names of the parameters, and the type of `operationName`. Yoga would repeat the name of one that does not
 * exist, and wait for one that is called `then`.
 *
 * @throws BAD_REQUEST
 */
function checkParameters(parameters: object): GraphQLParams {
  const isKnown = Object.keys(parameters).every((given) => parameterNames.includes(given));
  const name: unknown = 'operationName' in parameters ? parameters.operationName : null;
  if (isKnown && (name == null || typeof name === 'string')) return parameters;
  throw new SallyportError(
    'BAD_REQUEST',
    isKnown
      ? 'The parameter "operationName" must be a string.'
      : `The request has an unknown parameter. Supported: ${parameterNames.join(', ')}.`,
  );
}

/** Answers what was not executed. */
function refuse(causes: readonly unknown[], context: Context, report: (error: unknown) => void): ClientAnswer {
  const errors = causes.map((cause) => {
    const error = toPublicError(cause, report);
    // What yoga would make a status of; it calls the wrong method, too, a BAD_REQUEST.
    const { http, ...extensions } = error.extensions;
    const code = Object(http).status === statusOf.METHOD_NOT_ALLOWED ? 'METHOD_NOT_ALLOWED' : extensions.code;
    return { ...error.toJSON(), extensions: { ...extensions, code } };
  });
  noteCode(errors[0]?.extensions.code, context);
  return {
    body: JSON.stringify({ errors }),
    refusal: errors.map(({ extensions }) => extensions.code).filter(isErrorCode),
  };
}

/** Notes the code of the first error in an answer for the log and the metrics. */
function noteCode(code: unknown, { trace }: Context): void {
  if (isErrorCode(code)) trace.errorCode = code;
}

/** Makes yoga execute as the REST surface does, but for what asks for too much and for variables that do not fit. */
function executeBy(execute: Execute, report: ExecutionOptions['report']): Plugin<Context, Context> {
  const refusal = ({ requestId }: Context, error: unknown) => ({
    errors: [toPublicError(error, (cause) => report(requestId, cause))],
  });
  return {
    onExecute({ args: { contextValue: context, document, operationName, variableValues }, ...then }) {
      const variables = variableValues ?? {};
      noteOperation(context, document, operationName);
      try {
        const estimate = holdToLimits(document, operationName, variables);
        context.budget.expectIntrospection(estimate.introspection);
        const make = async () => {
          const result = await execute(document, variables, context, operationName);
          written.set(context, await writeAnswer(result, context));
          return result;
        };
        then.setExecuteFn(() => makeAnswer(context, estimate, make).catch((error: unknown) => refusal(context, error)));
      } catch (error) {
        then.setResultAndStopExecution(refusal(context, error));
      }
    },
    onSubscribe({ args: { contextValue: context, document, operationName = null, variableValues }, ...then }) {
      const variables = variableValues ?? {};
      noteOperation(context, document, operationName);
      try {
        holdToLimits(document, operationName, variables);
        subscriptions.set(context, { document, variables, operationName });
        then.setResultAndStopExecution({ data: null });
      } catch (error) {
        then.setResultAndStopExecution(refusal(context, error));
      }
    },
  };
}

/** Holds what a client asks for to the limits. Throws what it is refused with. */
function holdToLimits(
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Readonly<Record<string, unknown>>,
): Estimate {
  checkVariables(document, operationName, variables, schema);
  const estimate = estimateCost(document, operationName, variables);
  checkEstimate(estimate);
  return estimate;
}

/** Subscriptions, which yoga holds to the limits; their streams are made by `http/event-streams.ts`. */
const subscriptions = keptWith<Context, Subscription>();

/** Gives the subscription that a request asks for, if it may be begun; null for any other request. */
export function subscriptionOf(context: Context): Subscription | null {
  return subscriptions.get(context) ?? null;
}

/** Answers as they were written, within the place among the large ones that they may need. */
const written = keptWith<Context, Written>();

/** Parses and validates by functions of ours, which keep what they found. */
const prepareDocuments: Plugin = {
  onParse({ setParseFn }) {
    setParseFn(parseDocument);
  },
  onValidate({ setValidationFn }) {
    setValidationFn((_schema: GraphQLSchema, document: DocumentNode) => validateDocument(document));
  },
};
