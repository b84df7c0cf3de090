// The GraphQL engine: the schema with its plugins (limits, error codes), for requests and for prepared documents.

import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode,
} from 'graphql';
import { type GraphQLParams, type Plugin, YogaServer } from 'graphql-yoga';
import { keptWith } from '../../domain/concurrency/kept-with.ts';
import type { ErrorCode } from '../../domain/error-catalogue.ts';
import { statusOf } from '../../domain/error-status.ts';
import { SallyportError } from '../../domain/errors.ts';
import { answerInTurn } from '../../load/admission.ts';
import { checkEstimate, type Estimate, estimateCost } from '../../load/cost.ts';
import type { Following } from '../../storage/trail/follower.ts';
import type { Context } from '../kit/context.ts';
import { isErrorCode, toPublicError } from '../kit/public-errors.ts';
import { schema } from '../schema.ts';
import { type Written, writeAnswer } from './answer.ts';
import { parseDocument, preparedDocument, validateDocument } from './documents.ts';
import { createExecute, type Execute, type ExecutionOptions } from './execution.ts';
import { noteOperation } from './noting.ts';
import { beginSubscription, type Subscription } from './subscriptions.ts';
import { checkVariables } from './variables.ts';

/** The engine behind both surfaces. */
export interface GraphQLEngine {
  /** Lets yoga answer a client request within the limits. A subscription is only checked, not begun. */
  readonly ask: (parameters: object, method: Method, context: Context) => Promise<ClientAnswer>;
  /** Executes our own documents. Yoga also uses it for client documents, after checking them against the limits. */
  readonly execute: Execute;
  /** Begins a subscription, as `beginSubscription` does. */
  readonly begin: (subscription: Subscription, context: Context) => Promise<Following>;
}

/** The methods of GraphQL over HTTP. */
export type Method = 'GET' | 'POST';

export interface ClientAnswer {
  readonly body: Written;
  /** The codes of the errors, if the request was not executed; null if it was. */
  readonly refusal: readonly ErrorCode[] | null;
}

/** The parameters of a GraphQL request (GraphQL over HTTP, "Request Parameters"). */
const parameterNames = ['query', 'variables', 'operationName', 'extensions'];

/** Creates the engine. */
export function createGraphQLEngine(options: ExecutionOptions): GraphQLEngine {
  const { report } = options;
  const execute = createExecute(options);
  // Not `createYoga`: its HTTP adapter makes Node load everything for `fetch`, an eighth of the CPU time of a start (measured).
  const yoga = new YogaServer<Context, object>({
    schema,
    plugins: [prepareDocuments, executeBy(execute, report)],
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    // Disabled because the reader of the body does the first, and `prepareDocuments` and `toPublicError` do the others.
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    maskedErrors: false,
    logging: false,
  });
  // All that yoga needs of a request whose parameters have been read. Node's own `Request` would load `fetch` too.
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
        const known = method === 'POST' ? knownOperation(params) : null;
        const result =
          known === null
            ? await yoga.getResultForParams({ params, request: requests[method] }, context)
            : await executeWithinLimits(known, context, execute, reportHere);
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
 * Checks what yoga does not: the names of the parameters, and the type of `operationName`. Yoga would repeat the name of an unknown
 * parameter, and would await parameters with one called `then`.
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

/** Answers a request that was not executed. */
function refuse(causes: readonly unknown[], context: Context, report: (error: unknown) => void): ClientAnswer {
  const errors = causes.map((cause) => {
    const error = toPublicError(cause, report);
    // Yoga would set the HTTP status from `http`. It also calls a wrong method BAD_REQUEST.
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

/** A query or mutation with the name of its operation and its variables. */
interface Operation {
  readonly document: DocumentNode;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Returns a query or mutation that nothing is wrong with. Yoga would do no more with it than execute it, which takes it a promise for
 * each of its plugins. Returns null for what yoga refuses, what has not been parsed yet, and subscriptions.
 */
function knownOperation({ query, variables, operationName, extensions }: GraphQLParams): Operation | null {
  if (typeof query !== 'string' || !isObjectOrLeftOut(variables) || !isObjectOrLeftOut(extensions)) return null;
  const document = preparedDocument(query);
  const operation = document === null ? undefined : getOperationAST(document, operationName)?.operation;
  if (document === null || operation === undefined || operation === OperationTypeNode.SUBSCRIPTION) return null;
  return { document, operationName, variables: variables ?? {} };
}

function isObjectOrLeftOut(value: unknown): boolean {
  return value == null || (typeof value === 'object' && !Array.isArray(value));
}

/** Executes like the REST surface, after refusing operations beyond the limits and variables that do not fit. */
async function executeWithinLimits(
  { document, operationName, variables }: Operation,
  context: Context,
  execute: Execute,
  report: (error: unknown) => void,
): Promise<ExecutionResult> {
  noteOperation(context, document, operationName);
  try {
    const estimate = holdToLimits(document, operationName, variables);
    context.budget.expectIntrospection(estimate.introspection);
    return await answerInTurn(context, estimate, async () => {
      const result = await execute(document, variables, context, operationName);
      written.set(context, await writeAnswer(result, context));
      return result;
    });
  } catch (error) {
    return { errors: [toPublicError(error, report)] };
  }
}

/** Makes yoga execute by `executeWithinLimits`, and only check subscriptions. */
function executeBy(execute: Execute, report: ExecutionOptions['report']): Plugin<Context, Context> {
  return {
    onExecute({ args: { contextValue: context, document, operationName, variableValues }, setExecuteFn }) {
      const operation = { document, operationName, variables: variableValues ?? {} };
      const reportHere = (cause: unknown) => report(context.requestId, cause);
      setExecuteFn(() => executeWithinLimits(operation, context, execute, reportHere));
    },
    onSubscribe({ args: { contextValue: context, document, operationName = null, variableValues }, ...then }) {
      const variables = variableValues ?? {};
      noteOperation(context, document, operationName);
      try {
        holdToLimits(document, operationName, variables);
        subscriptions.set(context, { document, variables, operationName });
        then.setResultAndStopExecution({ data: null });
      } catch (error) {
        const reportHere = (cause: unknown) => report(context.requestId, cause);
        then.setResultAndStopExecution({ errors: [toPublicError(error, reportHere)] });
      }
    },
  };
}

/** Checks the variables and the estimated cost of an operation. Throws INVALID_INPUT, QUERY_TOO_COMPLEX. */
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

/** Checks the variables of a prepared document, so that they are coerced. Errors are found again when they are used. */
export function prepareVariables(text: string, operationName: unknown, variables: unknown): void {
  const document = preparedDocument(text);
  if (document === null || typeof variables !== 'object' || variables === null) return;
  const name = typeof operationName === 'string' ? operationName : null;
  try {
    // Safe cast: a non-null object.
    checkVariables(document, name, variables as Record<string, unknown>, schema);
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error;
  }
}

/** Subscriptions that yoga has checked against the limits. Their streams are made by `surfaces/kit/event-streams.ts`. */
const subscriptions = keptWith<Context, Subscription>();

/** Returns the subscription that a request asks for, if it may begin; null for any other request. */
export function subscriptionOf(context: Context): Subscription | null {
  return subscriptions.get(context) ?? null;
}

/** Answers serialized by `answerInTurn`, while they still hold a slot among the large ones if they need it. */
const written = keptWith<Context, Written>();

/** Parses and validates by our own functions, which cache their results. */
const prepareDocuments: Plugin = {
  onParse({ setParseFn }) {
    setParseFn(parseDocument);
  },
  onValidate({ setValidationFn }) {
    setValidationFn((_schema: GraphQLSchema, document: DocumentNode) => validateDocument(document));
  },
};
