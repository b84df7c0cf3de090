// The error class for expected failures, with a code of the catalogue (`error-catalogue.ts`), and the errors made most often.
// Independent of HTTP and GraphQL.

import type { ErrorCode } from './error-catalogue.ts';
import { kindOfId } from './values/ids.ts';

/**
 * An expected failure. Everything in it except `cause` is written for the client and leaves the process; any other kind of error is
 * masked as `INTERNAL`. It has no stack trace, which nobody reads and which takes longer than the rest of the error; its cause has.
 */
export class SallyportError extends Error {
  readonly code: ErrorCode;
  /** Path of the input at fault, in GraphQL spelling, such as `cidr` or `ipPolicyIds[2]`. */
  readonly field: string | undefined;
  /** The command at the end of the message, with which whoever runs the server gets out of it. */
  readonly command: string | undefined;
  /** The object that the input names and that does not exist, for UNKNOWN_REFERENCE. Clients do not get it. */
  readonly missing: MissingObject | undefined;

  /**
   * @param message a sentence that says what is wrong and what to do. It does not name the field: each surface puts the name in
   *   front, in its own spelling
   */
  constructor(
    code: ErrorCode,
    message: string,
    options: { field?: string; command?: string; cause?: unknown; missing?: MissingObject } = {},
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'SallyportError';
    this.code = code;
    this.field = options.field;
    this.command = options.command;
    this.missing = options.missing;
  }
}

export interface MissingObject {
  /** Its kind in words. */
  readonly what: string;
  readonly id: string;
}

/** Creates an error without a stack trace, for one that carries another: the trace of the other counts. */
export function withoutTrace<E extends Error>(create: () => E): E {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return create();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Creates the error for a field whose value breaks a rule. */
export function invalid(field: string, message: string): SallyportError {
  return new SallyportError('INVALID_INPUT', message, { field });
}

/** Creates the error for an object that does not exist or belongs to another account; clients must not be able to tell which. */
export function notFound(): SallyportError {
  return new SallyportError('NOT_FOUND', 'No such object in this account.');
}

/**
 * Creates the error for an id in the input that names no object of this account. `what` is its kind in words. Text that is not an
 * id is not repeated: it may be anything, such as a private key that was pasted into the wrong field.
 */
export function unknownReference(field: string, what: string, id: string): SallyportError {
  const which = kindOfId(id) === null ? `such ${what}` : `${what} "${id}"`;
  const missing = { what, id };
  return new SallyportError('UNKNOWN_REFERENCE', `There is no ${which} in this account.`, { field, missing });
}

/**
 * Creates the error for a change that is refused unless it is forced.
 *
 * @param reason a sentence that says why
 */
export function unlessForced(code: 'LOCKOUT' | 'EXPECTATION_FAILED', reason: string): SallyportError {
  return new SallyportError(
    code,
    `${reason} Nothing was changed. If it is meant, repeat the change with force: true, on REST with the header ` +
      'Sallyport-Force: true, or on the command line with --force.',
  );
}

/** Creates the error for a change that would lock out its client. `reason` is a sentence that says how. */
export function lockout(reason: string): SallyportError {
  return unlessForced('LOCKOUT', reason);
}
