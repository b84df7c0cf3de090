// Begins subscriptions. The document is then executed for each event, each time in a new context.

import { createSourceEventStream, type DocumentNode, type GraphQLError } from 'graphql';
import { SallyportError } from '../../domain/errors.ts';
import type { Following } from '../../storage/trail/follower.ts';
import type { Context } from '../kit/context.ts';
import { isErrorCode, toPublicError } from '../kit/public-errors.ts';
import { schema } from '../schema.ts';

/** A subscription that is within the limits, but has not begun. */
export interface Subscription {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

/**
 * Begins a subscription. Its events are the root values with which to execute its document.
 *
 * @param report gets the cause of a failure, which the client does not see
 * @throws the error of the field, as a coded error with the field to blame
 */
export async function beginSubscription(
  { document, variables, operationName }: Subscription,
  context: Context,
  report: (error: unknown) => void,
): Promise<Following> {
  const source = await createSourceEventStream({
    schema,
    document,
    variableValues: variables,
    contextValue: context,
    operationName,
  });
  // Safe cast: the only subscription field of the schema returns the feed.
  if (Symbol.asyncIterator in source) return source as Following;
  const [error] = source.errors ?? [];
  const refusal = refusalOf(error, report);
  // Nothing was executed; otherwise `execution.ts` would note it.
  if (refusal.code === 'FORBIDDEN') context.noteRefusal(refusal.code);
  throw refusal;
}

/** Returns the error that the client sees. */
function refusalOf(error: GraphQLError | undefined, report: (error: unknown) => void): SallyportError {
  if (error?.originalError instanceof SallyportError) return error.originalError;
  const { message, extensions } = toPublicError(error, report);
  return new SallyportError(isErrorCode(extensions.code) ? extensions.code : 'INTERNAL', message);
}
