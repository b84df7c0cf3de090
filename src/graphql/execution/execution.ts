// Executes documents, those of clients and our own: by a plan that is made once, or by GraphQL.js.

import { type DocumentNode, type ExecutionResult, execute, getOperationAST, OperationTypeNode } from 'graphql';
import type { ErrorCode } from '../../domain/error-catalogue.ts';
import { errorsMax } from '../../load/limits.ts';
import { coerceVariables } from '../executor/coercion.ts';
import { executePlan } from '../executor/executor.ts';
import { planOf } from '../executor/plan.ts';
import { DeletedMeanwhile, forgetLoaded } from '../kit/batch.ts';
import type { Context } from '../kit/context.ts';
import { isErrorCode, toPublicError } from '../kit/public-errors.ts';
import { schema } from '../schema.ts';
import { noteKept } from './documents.ts';

/** Executes an operation of a validated document. Errors in the result have a code of the catalogue. */
export type Execute = (
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  context: Context,
  operationName?: string | null,
  /** The event to answer, if the operation is a subscription. */
  rootValue?: unknown,
) => Promise<ExecutionResult>;

export interface ExecutionOptions {
  /** Reports the causes of masked errors, with the id of the request. */
  readonly report: (requestId: string, error: unknown) => void;
  /** False to execute by GraphQL.js, which gives the same answers but takes longer. */
  readonly usePlans: boolean;
}

/** Codes recorded in the audit trail: a key lacks scopes, or a proof or token is invalid or comes at the wrong time. */
const noted: ReadonlySet<unknown> = new Set<ErrorCode>([
  'ENROLLMENT_TOKEN_UNUSABLE',
  'FORBIDDEN',
  'NOT_RENEWABLE',
  'PROOF_INVALID',
]);

/** Creates the function that executes documents for both surfaces. */
export function createExecute({ report, usePlans }: ExecutionOptions): Execute {
  return async (document, variables, context, operationName = null, rootValue = undefined) => {
    const run = usePlans ? executeByPlan : executeByGraphQL;
    let result = await run(document, variables, context, operationName, rootValue);
    for (let again = 0; again < overtakenMax && wasOvertaken(result) && isQuery(document, operationName); again += 1) {
      forgetLoaded(context);
      result = await run(document, variables, context, operationName, rootValue);
    }
    const { excess } = context.budget;
    // A partial answer of a query would look like a complete one. Of mutations, each is answered completely or with null.
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

/** How often a query is executed again because what it reads is being deleted. */
const overtakenMax = 3;

function wasOvertaken({ errors = [] }: ExecutionResult): boolean {
  return errors.some(({ originalError }) => originalError instanceof DeletedMeanwhile);
}

function isQuery(document: DocumentNode, operationName: string | null): boolean {
  return getOperationAST(document, operationName)?.operation === OperationTypeNode.QUERY;
}

const executeByGraphQL: Execute = async (document, variables, context, operationName = null, rootValue = undefined) =>
  execute({
    schema,
    document,
    variableValues: variables,
    contextValue: context,
    operationName,
    rootValue,
    hideSuggestions: true,
  });

/** Executes a document by a plan, without translating the errors in its result. */
export const executeByPlan: Execute = async (
  document,
  variables,
  context,
  operationName = null,
  rootValue = undefined,
) => {
  const operation = getOperationAST(document, operationName);
  // GraphQL.js reports what is wrong with the name.
  if (operation == null) return executeByGraphQL(document, variables, context, operationName, rootValue);
  const { coerced, errors } = coerceVariables(schema, operation, variables);
  if (coerced === undefined) return { errors };
  const plan = planOf(schema, document, operation, coerced, (bytes) => noteKept(document, bytes));
  return executePlan(plan, rootValue, context, coerced);
};
