// Errors, in the server's words.

import type { CombinedError } from 'urql';

/** An error as it is shown to the user. */
export interface Problem {
  /** An error code from docs/errors.md; `UNREACHABLE` if no server answered. */
  readonly code: string;
  readonly message: string;
  /** The input field that caused the error; null if none did. */
  readonly field: string | null;
  /** The command at the end of the message, with which whoever runs the server gets out of it. */
  readonly command?: string;
}

/** Returns the first error of an answer; `UNREACHABLE` if it has no GraphQL error. */
export function problemOf(error: CombinedError): Problem {
  const [first] = error.graphQLErrors;
  if (first === undefined) {
    return { code: 'UNREACHABLE', message: 'The server cannot be reached.', field: null };
  }
  const { code, field, command } = first.extensions;
  return {
    code: typeof code === 'string' ? code : 'INTERNAL',
    message: forPeople(first.message),
    field: typeof field === 'string' ? field : null,
    ...(typeof command === 'string' && { command }),
  };
}

/** Returns which entry of a list in the input a problem is about, such as 3 for `objects[3].id`; null if it names none. */
export function indexIn({ field }: Problem, list: string): number | null {
  const index = field?.startsWith(`${list}[`) ? Number.parseInt(field.slice(list.length + 1), 10) : Number.NaN;
  return Number.isNaN(index) ? null : index;
}

/** What a sentence says to programs alone: arguments, headers and flags, which nobody can send from a page. */
const forPrograms = /`\w+[:=] ?true`|Sallyport-Force|`--/;

/**
 * Returns a message without its sentences for programs. The pages offer the same in their own words. Names that users chose may look
 * like that, too: a message is never left empty.
 */
function forPeople(message: string): string {
  const sentences = message.split(/(?<=\.) (?=[A-Z])/).filter((sentence) => !forPrograms.test(sentence));
  return sentences.length === 0 ? message : sentences.join(' ');
}

/** Advice for problems whose message does not already say what to do. */
export const remedies: Readonly<Record<string, string>> = {
  FORBIDDEN: 'Sign in with a key that may do this, or have one made.',
  IP_RESTRICTED: 'Or come from an address that is allowed, and try again.',
  UNREACHABLE: 'Check the connection. What you have entered is still here.',
  TOO_MANY_REQUESTS: 'Wait a few seconds, and try again.',
  UNAVAILABLE: 'Wait a few seconds, and try again.',
  VERSION_CONFLICT: 'Look at what has changed, and decide what stays.',
  INTERNAL: 'This is a fault of the server. Its log has the cause.',
};
