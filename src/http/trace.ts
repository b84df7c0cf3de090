// Watches a request until it is over, and sums up what came of it. Never looks at a body, a header value or a query.

import type { Request } from 'express';
import type { Trace } from '../graphql/context.ts';
import { wasSent } from './connections.ts';
import type { Reply } from './request.ts';

/** What came of a request. */
export interface RequestSummary extends Readonly<Trace> {
  readonly requestId: string;
  readonly method: string;
  /** Null when the client went away before it had its answer. */
  readonly status: number | null;
  readonly seconds: number;
}

/**
 * Begins the trace of a request, to be filled in by those who answer it.
 *
 * @param ended gets the summary when the answer has been sent, or the connection is gone
 */
export function watchRequest(
  request: Request,
  reply: Reply,
  requestId: string,
  ended: ((summary: RequestSummary) => void) | undefined,
): Trace {
  const begun = performance.now();
  const trace: Trace = { surface: 'page', operation: null, operationName: null, accountId: null, errorCode: null };
  reply.on('close', () => {
    ended?.({
      surface: trace.surface,
      operation: trace.operation ?? (trace.surface === 'graphql' ? null : routeOf(request)),
      operationName: trace.operationName,
      accountId: trace.accountId,
      errorCode: trace.errorCode,
      requestId,
      method: request.method,
      status: wasSent(reply) ? reply.statusCode : null,
      seconds: (performance.now() - begun) / 1000,
    });
  });
  return trace;
}

/**
 * Names the route that a request took, as the documentation writes it; the path itself may hold anything. So may the
 * method, of which Node takes more than thirty: one that the route does not have is `other`.
 */
function routeOf(request: Request): string | null {
  // Express sets the route when one matches; its type says that there always is one.
  const route = request.route as { path?: unknown; methods: Record<string, boolean> } | undefined;
  if (typeof route?.path !== 'string') return null;
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const known = route.methods[method.toLowerCase()] === true;
  return `${known ? method : 'other'} ${route.path.replace(/:(\w+)/g, '{$1}')}`;
}
