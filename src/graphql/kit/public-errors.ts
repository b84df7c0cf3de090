// Errors as GraphQL clients get them. Unexpected errors are masked here.

import { GraphQLError } from 'graphql';
import { type ErrorCode, errorCatalogue } from '../../domain/error-catalogue.ts';
import { SallyportError, withoutTrace } from '../../domain/errors.ts';
import { messageCharactersMax } from '../../load/limits.ts';

export type ReportCause = (error: unknown) => void;

/** Returns whether a value is a code of the catalogue. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCatalogue, code);
}

/**
 * Converts an error to the form that clients may see. An expected error keeps its code; any other becomes INTERNAL without a word
 * about its cause, which is reported instead.
 */
export function toPublicError(error: unknown, report: ReportCause): GraphQLError {
  const located = error instanceof GraphQLError ? error : undefined;
  if (located !== undefined && isErrorCode(located.extensions.code)) return located;

  // Execution wraps whatever a resolver throws. An error without an original error or a path is about the request itself.
  if (located !== undefined && located.originalError === undefined && located.path === undefined) {
    return coded('GRAPHQL_INVALID', located.message, located);
  }
  const original = located?.originalError ?? error;
  if (original instanceof SallyportError) {
    // Only failures of the server itself have a cause; mistakes of clients are not logged.
    if (original.cause !== undefined) report(original);
    const message = original.field === undefined ? original.message : `${original.field}: ${original.message}`;
    return coded(original.code, message, located, original);
  }
  report(original);
  return coded('INTERNAL', "Internal error. The server's log has the cause under this request ID.", located);
}

/** Returns what an answer says of an expected error besides its message. */
export function extensionsOf({ code, field, command }: SallyportError) {
  return { code, ...(field !== undefined && { field }), ...(command !== undefined && { command }) };
}

/** Truncates an error message, which may repeat names that the client chose. */
export function shortened(message: string, charactersMax = messageCharactersMax): string {
  return message.length <= charactersMax ? message : `${message.slice(0, charactersMax)}...`;
}

/** Creates an error with a code, at the location of another error. */
export function coded(
  code: ErrorCode,
  message: string,
  located?: GraphQLError,
  original?: SallyportError,
): GraphQLError {
  return withoutTrace(
    () =>
      new GraphQLError(shortened(message), {
        nodes: located?.nodes ?? null,
        source: located?.source ?? null,
        positions: located?.positions ?? null,
        path: located?.path ?? null,
        // For the REST surface, which spells field names differently. Not part of the GraphQL answer.
        originalError: original ?? null,
        extensions: original === undefined ? { code } : { ...extensionsOf(original), code },
      }),
  );
}
