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
