// The GraphQL engine: the schema with its plugins (limits, error codes), for requests and for prepared documents.

import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { ErrorCode } from '../domain/errors.ts';
import type { Following } from '../storage/follower.ts';
import { makeAnswer } from './admission.ts';
import { writeLargeAnswer } from './answer.ts';
import { isLargeAnswer } from './budget.ts';
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
  /** Answers HTTP requests with GraphQL in them. */
  readonly yoga: YogaServerInstance<Context, object>;
  /** Executes documents of our own. Yoga executes those of clients by it, after it has held them to the limits. */
  readonly execute: Execute;
  /** Begins a subscription, as `beginSubscription` does. */
  readonly begin: (subscription: Subscription, context: Context) => Promise<Following>;
}

/** The parameters of a GraphQL request (GraphQL over HTTP, "Request Parameters"). */
const parameterNames = ['query', 'variables', 'operationName', 'extensions'];

/** Creates the engine. */
export function createGraphQLEngine(options: ExecutionOptions): GraphQLEngine {
  const { report } = options;
  const execute = createExecute(options);
  const yoga = createYoga<Context>({
    schema,
    // The last one notes the code of an error, as the one before it has corrected it.
    plugins: [takeBody, checkParameters, prepareDocuments, codeErrors, executeBy(execute, report)],
    maskedErrors: { maskError: maskOutside },
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    // Both are done by `takeBody` and `prepareDocuments`.
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    logging: false,
  });

  return {
    yoga,
    execute,
    begin: (subscription, context) =>
      beginSubscription(subscription, context, (cause) => report(context.requestId, cause)),
  };
}

// What is behind errors outside of an execution: they belong to no field, and none of them should happen. Yoga masks them
// where it does not say for which request.
const causesOutside = new WeakMap<GraphQLError, unknown>();

/** Masks an error outside of an execution, and keeps its cause until it is known whose it is. */
function maskOutside(error: unknown): GraphQLError {
  const causes: unknown[] = [];
  const masked = toPublicError(error, (cause) => causes.push(cause));
  if (causes.length > 0) causesOutside.set(masked, causes[0]);
  return masked;
}

/** Makes yoga execute as the REST surface does, but for what asks for too much and for variables that do not fit. */
function executeBy(execute: Execute, report: ExecutionOptions['report']): Plugin<Context, Context> {
  const refusal = ({ requestId }: Context, error: unknown) => {
    // Without the error behind it, which yoga would take for a failure of the server and answer with 500.
    const { message, extensions } = toPublicError(error, (cause) => report(requestId, cause));
    return { errors: [new GraphQLError(message, { extensions })] };
  };
  return {
    onExecute({ args: { contextValue: context, document, operationName, variableValues }, ...then }) {
      const variables = variableValues ?? {};
      noteOperation(context, document, operationName);
      try {
        const estimate = holdToLimits(document, operationName, variables);
        context.budget.expectIntrospection(estimate.introspection);
        const make = async () => {
          const result = await execute(document, variables, context, operationName);
          if (isLargeAnswer(context.budget))
            written.set(context, await writeLargeAnswer({ data: result.data }, context));
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
    onResultProcess({ result, serverContext }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result) return;
      // Yoga adds the status and the headers; the data, written already, come behind what it writes.
      if (written.has(serverContext)) result.stringify = ({ data: _, ...others }) => JSON.stringify(others);
      if (!('errors' in result)) return;
      for (const error of result.errors ?? []) {
        if (causesOutside.has(error)) report(serverContext.requestId, causesOutside.get(error));
      }
      const code = result.errors?.[0]?.extensions.code;
      if (isErrorCode(code)) serverContext.trace.errorCode = code;
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
const subscriptions = new WeakMap<Context, Subscription>();

/** Gives the subscription that a request asks for, if it may be begun; null for any other request. */
export function subscriptionOf(context: Context): Subscription | null {
  return subscriptions.get(context) ?? null;
}

/** Data of large answers, which yoga would write in one go. */
const written = new WeakMap<Context, readonly Buffer[]>();

/** Gives the data of an answer that were written apart from the rest of it, as a JSON object; null when they were not. */
export function dataWrittenApart(context: Context): readonly Buffer[] | null {
  return written.get(context) ?? null;
}

/** Yoga checks the types of all other parameters itself, and would repeat the name of one that does not exist. */
const checkParameters: Plugin = {
  onParams({ params }) {
    // What the client sent, whatever the type of the parameters says.
    const name: unknown = params.operationName;
    const isKnown = Object.keys(params).every((given) => parameterNames.includes(given));
    if (isKnown && (name == null || typeof name === 'string')) return;
    const message = isKnown
      ? 'The parameter "operationName" must be a string.'
      : `The request has an unknown parameter. Supported: ${parameterNames.join(', ')}.`;
    throw new GraphQLError(message, {
      extensions: { code: 'BAD_REQUEST' satisfies ErrorCode, http: { status: statusOf.BAD_REQUEST } },
    });
  },
};

/** Parses and validates by functions of ours, which keep what they found. */
const prepareDocuments: Plugin = {
  onParse({ setParseFn }) {
    setParseFn(parseDocument);
  },
  onValidate({ setValidationFn }) {
    setValidationFn((_schema: GraphQLSchema, document: DocumentNode) => validateDocument(document));
  },
};

/** Takes the parameters out of a body that was read before, within the limits that hold for every body. */
const takeBody: Plugin<object, Context> = {
  onRequestParse({ serverContext: { body }, setRequestParser }) {
    if (body === undefined) return;
    // Yoga checks what is in it. A name of the client's own could be `then`, and yoga would wait for a promise.
    const named = ([name, value]: [string, unknown]) => [parameterNames.includes(name) ? name : 'unknown', value];
    setRequestParser(() => Object.fromEntries(Object.entries(body).map(named)));
  },
};

/** Gives the errors that yoga itself finds a code of the catalogue: of requests that break GraphQL over HTTP. */
const codeErrors: Plugin = {
  onResultProcess({ result }) {
    if (Array.isArray(result) || !('errors' in result)) return;
    for (const error of result.errors ?? []) {
      // Yoga calls this one, too, a BAD_REQUEST.
      if (error.extensions.http?.status === statusOf.METHOD_NOT_ALLOWED) error.extensions.code = 'METHOD_NOT_ALLOWED';
      const { code } = error.extensions;
      if (!isErrorCode(code)) error.extensions.code = 'BAD_REQUEST' satisfies ErrorCode;
      else if (!('data' in result)) error.extensions.http ??= httpOf(code);
    }
  },
};

/**
 * Gives the status of a request that was not executed. `spec` is yoga's word for errors of the request, which clients that
 * do not accept `application/graphql-response+json` get with 200 (GraphQL over HTTP, "application/json").
 */
function httpOf(code: ErrorCode): { status: number; spec: boolean } {
  return { status: statusOf[code], spec: statusOf[code] < 500 };
}
