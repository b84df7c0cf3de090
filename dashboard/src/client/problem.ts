// What is wrong, in the server's words.

import type { CombinedError } from 'urql';

/** An error as a person gets to see it. */
export interface Problem {
  /** The code of docs/errors.md; `UNREACHABLE` where no server answered. */
  readonly code: string;
  readonly message: string;
  /** The input that is to blame; null if it is none. */
  readonly field: string | null;
}

/** Reads the first error of an answer. */
export function problemOf(error: CombinedError): Problem {
  const [first] = error.graphQLErrors;
  if (first === undefined) {
    return { code: 'UNREACHABLE', message: 'The server cannot be reached.', field: null };
  }
  const { code, field } = first.extensions;
  return {
    code: typeof code === 'string' ? code : 'INTERNAL',
    message: first.message,
    field: typeof field === 'string' ? field : null,
  };
}

/** What to do about some problems, where the message alone does not say it. */
export const remedies: Readonly<Record<string, string>> = {
  FORBIDDEN: 'Sign in with a key that may do this, or have one made.',
  IP_RESTRICTED:
    'Come from an address that is allowed, and try again. Whoever runs the server can lift the restriction: “sallyport restrictions suspend”.',
  UNREACHABLE: 'Check the connection. What you have entered is still here.',
  TOO_MANY_REQUESTS: 'Wait a few seconds, and try again.',
  UNAVAILABLE: 'Wait a few seconds, and try again.',
  VERSION_CONFLICT: 'Look at what has changed, and decide what stays.',
  INTERNAL: 'This is a fault of the server. Its log has the cause.',
};
