// Sends errors in the shape of the surface that the request was sent to.

import type { NextFunction, Request } from 'express';
import { statusOf } from '../domain/error-status.ts';
import type { SallyportError } from '../domain/errors.ts';
import { extensionsOf } from '../graphql/kit/public-errors.ts';
import { errorBody, retryAfterSeconds } from '../wire/error-body.ts';
import { sendTogether } from '../wire/send.ts';
import type { Reply } from './request.ts';
import { codesForLater, toSallyportError } from './rest-errors.ts';

export interface AnswerErrorOptions {
  readonly graphqlPath: string;
  /** Answers with a page if a person will see it; returns false otherwise. */
  readonly showPage: (request: Request, reply: Reply, status: number, error: SallyportError) => boolean;
  /** Receives the causes of failures that the client does not see, with the request id. */
  readonly reportFailure: (requestId: string, error: unknown) => void;
}

/** Creates the handler that answers every error. */
export function createAnswerError({ graphqlPath, showPage, reportFailure }: AnswerErrorOptions) {
  // Express recognizes an error handler by its four parameters.
  return async (thrown: unknown, request: Request, reply: Reply, _next: NextFunction): Promise<void> => {
    const { requestId } = reply.locals.info;
    const error = toSallyportError(thrown);
    reply.locals.trace.errorCode = error.code;
    if (error.cause !== undefined) reportFailure(requestId, error.cause);
    // Too late for another answer: the client sees a broken one, rather than two.
    if (reply.headersSent) {
      reply.destroy();
      return;
    }
    const status = statusOf[error.code];
    if (error.code === 'UNAUTHENTICATED') reply.set('WWW-Authenticate', 'Bearer');
    // A rate limit has already set when there is room again.
    if (codesForLater.has(error.code) && !reply.hasHeader('Retry-After'))
      reply.set('Retry-After', String(retryAfterSeconds));
    if (showPage(request, reply, status, error)) return;
    const body =
      request.path.replace(/\/$/, '') === graphqlPath
        ? { errors: [{ message: error.message, extensions: extensionsOf(error) }] }
        : errorBody(error, requestId);
    // Sent together with the other answers of this turn: otherwise those would also wait for all that is refused in it.
    await sendTogether(reply, { status, headers: {}, body: JSON.stringify(body) });
  };
}
