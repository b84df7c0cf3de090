// Subscriptions: what one follows. Each of its events is then executed as a document of its own, in a context of its own.

import { createSourceEventStream, type DocumentNode, type GraphQLError } from 'graphql';
import { SallyportError } from '../domain/errors.ts';
import type { Following } from '../storage/follower.ts';
import type { Context } from './context.ts';
import { isErrorCode, toPublicError } from './errors.ts';
import { schema } from './schema.ts';

/** A subscription that was held to the limits, and not begun. */
export interface Subscription {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

/**
 * Begins a subscription. Its events are the root values to execute its document with.
 *
 * @param report takes the cause of a failure that the client does not get to see
 * @throws what the field refuses it with, as a coded error with the field to blame
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
  // Nothing but the feed is followed: the one field of the schema's subscription gives it.
  if (Symbol.asyncIterator in source) return source as Following;
  const [error] = source.errors ?? [];
  const refusal = refusalOf(error, report);
  // What is executed notes it by itself (see `execution.ts`).
  if (refusal.code === 'FORBIDDEN') context.noteRefusal(refusal.code);
  throw refusal;
}

/** Gives the error to fail with, which the client gets to see. */
function refusalOf(error: GraphQLError | undefined, report: (error: unknown) => void): SallyportError {
  if (error?.originalError instanceof SallyportError) return error.originalError;
  const { message, extensions } = toPublicError(error, report);
  return new SallyportError(isErrorCode(extensions.code) ? extensions.code : 'INTERNAL', message);
}
