// How documents are executed: field by field, or, for the plain queries among our own, by a function that is compiled once.

import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  getOperationAST,
  Kind,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import type { ErrorCode } from '../domain/errors.ts';
import type { Context } from './context.ts';
import { isErrorCode, toPublicError } from './errors.ts';
import { errorsMax } from './limits.ts';
import { schema } from './schema.ts';

/** Executes an operation of a document that was validated. Errors in the result have a code of the catalogue. */
export type Execute = (
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  context: Context,
  operationName?: string | null,
  /** The event that is answered, of a subscription. */
  rootValue?: unknown,
) => Promise<ExecutionResult>;

/** What the execution works with. */
export interface ExecutionOptions {
  /** Takes the causes of masked errors, with the id of the request. */
  readonly report: (requestId: string, error: unknown) => void;
  /** False to compile nothing, which answers the same and takes longer. */
  readonly compileDocuments: boolean;
}

/** What the trail notes: that a key lacks scopes, or that a proof or a token does not hold or comes at the wrong time. */
const noted: ReadonlySet<unknown> = new Set<ErrorCode>([
  'ENROLLMENT_TOKEN_UNUSABLE',
  'FORBIDDEN',
  'NOT_RENEWABLE',
  'PROOF_INVALID',
]);

/** Creates the execution of documents, the same for both surfaces. */
export function createExecute({ report, compileDocuments }: ExecutionOptions): Execute {
  const compiled = new Map<DocumentNode, CompiledQuery['query'] | null>();

  const compiledOf = (document: DocumentNode, { untrustedDocument }: Context) => {
    // The compiler writes parts of a document into a program. With a document of a client, that would be the client's program.
    if (!compileDocuments || untrustedDocument) return null;
    const known = compiled.get(document);
    if (known !== undefined) return known;
    const query = compile(document);
    compiled.set(document, query);
    return query;
  };

  return async (document, variables, context, operationName = null, rootValue = undefined) => {
    const query = compiledOf(document, context);
    const result = await (query === null
      ? execute({ schema, document, variableValues: variables, contextValue: context, operationName, rootValue })
      : query(undefined, context, variables));
    const { excess } = context.budget;
    // In pieces, what was answered before it got too large would look like an answer. A change is answered whole or with null.
    if (excess !== null && isQuery(document, operationName))
      return { data: null, errors: [toPublicError(excess, () => {})] };
    if (result.errors === undefined) return result;
    const reportHere = (error: unknown) => report(context.requestId, error);
    const errors = result.errors.slice(0, errorsMax).map((error) => toPublicError(error, reportHere));
    const code = errors.map(({ extensions }) => extensions.code).find((one) => noted.has(one));
    if (isErrorCode(code)) context.noteRefusal(code);
    return { ...result, errors };
  };
}

function isQuery(document: DocumentNode, operationName: string | null): boolean {
  return getOperationAST(document, operationName)?.operation === OperationTypeNode.QUERY;
}

/** Compiles a document; null for what is executed field by field. */
function compile(document: DocumentNode): CompiledQuery['query'] | null {
  if (!isPlainQuery(document)) return null;
  const compiled = compileQuery(schema, document, undefined, { disablingCapturingStackErrors: true });
  return isCompiledQuery(compiled) ? compiled.query : null;
}

/**
 * Tells whether a document is a query that the compiler (graphql-jit 0.8) executes correctly. Mutations are not compiled: their
 * inputs are objects. It is known to fail here:
 *
 * - Inside of an object or list it takes a variable that is not given for null, and it has defaults of its own.
 * - Of a fragment that is spread under several conditions it follows the first.
 * - It makes the path of a field anew for each resolver. By the path, Pothos finds relations that were loaded with their
 *   object, and would load them again.
 */
export function isPlainQuery(document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let isPlain = true;
  const refuse = () => {
    isPlain = false;
  };
  const visitor = {
    [Kind.DIRECTIVE]: refuse,
    [Kind.OBJECT]: refuse,
    [Kind.LIST]: refuse,
    OperationDefinition: ({ operation }: { operation: OperationTypeNode }) => {
      if (operation !== OperationTypeNode.QUERY) refuse();
    },
    VariableDefinition: ({ defaultValue }: { defaultValue?: unknown }) => {
      if (defaultValue !== undefined) refuse();
    },
    Field: () => {
      if (loadsWithParent(types.getFieldDef()?.extensions)) refuse();
    },
  };
  visit(document, visitWithTypeInfo(types, visitor));
  return isPlain;
}

/** Tells whether Pothos loads more for a field than columns of its object. */
function loadsWithParent(extensions: Readonly<Record<string, unknown>> = {}): boolean {
  const select = extensions.pothosPrismaSelect ?? {};
  return typeof select === 'function' || Object.values(select).some((part) => part !== true);
}
