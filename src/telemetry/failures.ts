// Failures as they may be logged: what happened and where, without the objects attached to an error, which hold client input.

export interface LoggedFailure {
  readonly type: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly cause: LoggedFailure | undefined;
}

const causesMax = 5;

/**
 * Describes a failure for the log. Other properties of an error are left out: a GraphQL error holds its document, and a Prisma
 * error the arguments of the call.
 */
export function describeFailure(error: unknown, depth = 0): LoggedFailure {
  if (!(error instanceof Error)) {
    return {
      type: typeof error,
      message: 'A value that is not an error was thrown.',
      stack: undefined,
      cause: undefined,
    };
  }
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    // A cause that is no error is not described: that of a driver adapter's error repeats it in Prisma's terms.
    cause: error.cause instanceof Error && depth < causesMax ? describeFailure(error.cause, depth + 1) : undefined,
  };
}
