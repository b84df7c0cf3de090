// The GraphQL engine: the schema with its plugins (limits, error codes), for requests and for prepared documents.

import { complexityFromQuery } from '@pothos/plugin-complexity';
import { type DocumentNode, type ExecutionResult, GraphQLError, getOperationAST, Kind, parse } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { ErrorCode } from '../domain/errors.ts';
import type { Context } from './context.ts';
import { coded, isErrorCode, type ReportCause, statusOf, toPublicError } from './errors.ts';
import { documentTokensMax, queryCostMax, queryDepthMax, queryFieldsMax } from './limits.ts';
import { schema } from './schema.ts';
import { checkVariables } from './variables.ts';

/** The engine behind both surfaces. */
export interface GraphQLEngine {
  /** Answers HTTP requests with GraphQL in them. */
  readonly yoga: YogaServerInstance<Context, object>;
  /** Executes a document that was validated before, through the same plugins. */
  execute(document: DocumentNode, variables: Record<string, unknown>, context: Context): Promise<ExecutionResult>;
}

/** Creates the engine. `report` takes the causes of masked errors, with the id of the request. */
export function createGraphQLEngine(report: (requestId: string, error: unknown) => void): GraphQLEngine {
  const yoga = createYoga<Context>({
    schema,
    plugins: [checkOperationName, limitTokens, limitCost, codeErrors(report), noteOutcome],
    // Errors outside of an execution: they belong to no field, and none of them should happen.
    maskedErrors: { maskError: (error) => toPublicError(error, (cause) => report('', cause)) },
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    logging: false,
  });

  return {
    yoga,
    async execute(document, variables, context) {
      const { execute, contextFactory } = yoga.getEnveloped(context);
      return execute({ schema, document, variableValues: variables, contextValue: await contextFactory() });
    },
  };
}

/** Longest name of an operation that is noted: clients choose it. */
const operationNameCharactersMax = 64;

/** Notes for the log and the metrics what a client had executed, and what came of it. */
const noteOutcome: Plugin<Context, Context> = {
  onExecute({ args }) {
    const { trace, untrustedDocument } = args.contextValue;
    const definition = getOperationAST(args.document, args.operationName);
    // The documents of routes are known by their routes.
    if (!untrustedDocument || !definition) return;
    trace.operationName = definition.name?.value.slice(0, operationNameCharactersMax) ?? null;
    const fields = new Set(
      definition.selectionSet.selections.map((node) => (node.kind === Kind.FIELD ? node.name.value : null)),
    );
    const [field] = fields;
    // Names of the schema, of which there are so many: the names of operations would be as many as clients like.
    trace.operation = fields.size === 1 && field ? field : 'several';
  },
  onResultProcess({ result, serverContext }) {
    if (Array.isArray(result) || !('errors' in result)) return;
    const code = result.errors?.[0]?.extensions.code;
    if (isErrorCode(code)) serverContext.trace.errorCode = code;
  },
};

/** Yoga checks the types of all other parameters itself. */
const checkOperationName: Plugin = {
  onParams({ params: { operationName } }) {
    // What the client sent, whatever the type of the parameters says.
    const given: unknown = operationName;
    if (given == null || typeof given === 'string') return;
    throw new GraphQLError('The parameter "operationName" must be a string.', {
      extensions: { code: 'BAD_REQUEST' satisfies ErrorCode, http: { status: statusOf.BAD_REQUEST } },
    });
  },
};

const limitTokens: Plugin = {
  onParse({ setParseFn }) {
    setParseFn((source: string) => {
      try {
        return parse(source, { maxTokens: documentTokensMax });
      } catch (error) {
        // The parser calls itself for each bracket, and runs out of stack on fewer of them than there may be tokens.
        throw error instanceof RangeError ? new GraphQLError('The document nests too deep to be read.') : error;
      }
    });
  },
};

/** Refuses documents that ask for too much, and variables that do not fit, before anything is executed. */
const limitCost: Plugin<Context> = {
  onExecute({ args, setResultAndStopExecution }) {
    const context = args.contextValue;
    if (!context.untrustedDocument) return;
    try {
      checkVariables(args.document, args.operationName, args.variableValues ?? {}, schema);
    } catch (error) {
      // Without the error behind it, which yoga would take for a failure of the server and answer with 500.
      const { message, extensions } = toPublicError(error, () => {});
      setResultAndStopExecution({ errors: [new GraphQLError(message, { extensions })] });
      return;
    }
    const { depth, breadth, complexity } = complexityFromQuery(executedPart(args.document, args.operationName), {
      schema,
      ctx: context,
      variables: args.variableValues ?? {},
    });
    const excess =
      exceeds('fields deep', depth, queryDepthMax) ??
      exceeds('fields in all', breadth, queryFieldsMax) ??
      exceeds('fields in the answer, by estimate', complexity, queryCostMax);
    if (excess !== undefined) setResultAndStopExecution({ errors: [coded('QUERY_TOO_COMPLEX', excess)] });
  },
};

function exceeds(what: string, actual: number, max: number): string | undefined {
  return actual > max ? `The query asks for ${actual} ${what}; at most ${max} are allowed.` : undefined;
}

/** Leaves of a document with several operations only the one that is executed. */
function executedPart(document: DocumentNode, operationName: string | null | undefined): DocumentNode {
  if (operationName == null) return document;
  return {
    ...document,
    definitions: document.definitions.filter(
      (definition) => definition.kind !== 'OperationDefinition' || definition.name?.value === operationName,
    ),
  };
}

/** Gives every error a code of the catalogue, and masks those that nobody expected. */
function codeErrors(report: (requestId: string, error: unknown) => void): Plugin<Context> {
  return {
    onParse() {
      return ({ result, replaceParseResult }) => {
        if (result instanceof GraphQLError) replaceParseResult(withCode('GRAPHQL_SYNTAX', result));
      };
    },
    onValidate() {
      return ({ valid, result, setResult }) => {
        if (!valid) setResult(result.map((error) => withCode('GRAPHQL_INVALID', withoutValue(error))));
      };
    },
    onExecute({ args }) {
      const reportHere: ReportCause = (error) => report(args.contextValue.requestId, error);
      return {
        onExecuteDone({ result, setResult }) {
          if (!('errors' in result) || result.errors === undefined) return;
          setResult({ ...result, errors: result.errors.map((error) => toPublicError(error, reportHere)) });
        },
      };
    },
    // What is left are the answers of yoga itself to requests that break the rules of GraphQL over HTTP.
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
}

/**
 * Gives the status of a request that was not executed. `spec` is yoga's word for errors of the request, which clients that
 * do not accept `application/graphql-response+json` get with 200 (GraphQL over HTTP, "application/json").
 */
function httpOf(code: ErrorCode): { status: number; spec: boolean } {
  return { status: statusOf[code], spec: statusOf[code] < 500 };
}

/**
 * Takes out of the message about a literal what it repeats of it: it may be a secret that was pasted into the wrong place.
 * GraphQL puts it behind a colon or the word "found", and then may suggest other values.
 */
function withoutValue(error: GraphQLError): GraphQLError {
  if (error.nodes?.some(({ kind }) => kind.endsWith('Value')) !== true) return error;
  const message = error.message.replace(/(?:: |, found |\. Did you mean )[\s\S]*$/, '');
  return coded('GRAPHQL_INVALID', `${message.replace(/\.$/, '')}.`, error);
}

/** Adds a code and keeps all else, such as the HTTP status that yoga gave. */
function withCode(code: ErrorCode, error: GraphQLError): GraphQLError {
  return new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    extensions: { ...error.extensions, code },
  });
}
