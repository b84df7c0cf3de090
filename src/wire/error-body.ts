// Errors as REST clients get them.

import type { ErrorCode } from '../domain/error-catalogue.ts';
import { statusOf } from '../domain/error-status.ts';
import type { SallyportError } from '../domain/errors.ts';

/** Body of every answer outside 2xx. Clients of the API family need all four, and only strings in `details`. */
export interface ErrorBody {
  error_code: ErrorCode;
  status_code: number;
  msg: string;
  details: { operation_id: string; field?: string; command?: string };
}

/** Seconds after which a client may repeat a request that could not be served. */
export const retryAfterSeconds = 2;

/** Returns the body for an error. */
export function errorBody({ code, field, command, message }: SallyportError, requestId: string): ErrorBody {
  return {
    error_code: code,
    status_code: statusOf[code],
    msg: field === undefined ? message : `${field}: ${message}`,
    details: {
      operation_id: requestId,
      ...(field !== undefined && { field }),
      ...(command !== undefined && { command }),
    },
  };
}
