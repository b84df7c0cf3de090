// Standard output and standard error. All that the programs print for people goes through here, except the log: stored text cannot
// command the terminal, and an output that takes nothing more is an error like any other.

import { constants } from 'node:os';
import { ConfigurationError } from '../config.ts';
import { printable } from '../domain/values/printable.ts';
import { messageOf } from '../domain/wording.ts';

/** Standard output cannot be written. */
export class OutputError extends Error {
  /** Whether the reader has gone, such as `head` once it has its lines. Nobody needs to be told. */
  readonly isUnread: boolean;

  constructor(cause: unknown) {
    super(`The result could not be written to standard output: ${messageOf(cause)}.`, { cause });
    this.isUnread = cause instanceof Error && 'code' in cause && cause.code === 'EPIPE';
  }
}

/** The exit code of a program whose reader has gone, as a shell reports a program that the signal SIGPIPE has ended. */
export const unreadExitCode = 128 + constants.signals.SIGPIPE;

/**
 * Prints lines to standard output, and waits until they are written, so that a slow reader slows the work down.
 *
 * @param lines each may contain stored text, which cannot begin another line
 * @throws OutputError
 */
export async function printLines(lines: readonly string[]): Promise<void> {
  const text = lines.map((line) => `${printable(line)}\n`).join('');
  await write(process.stdout, text).catch((error: unknown) => {
    throw new OutputError(error);
  });
}

/**
 * Returns the lines in which an error is printed: one, because its message may contain stored text; more for a configuration, whose
 * problems have a line each.
 *
 * @param before begins the first line
 */
export function linesOf(error: unknown, before = ''): readonly string[] {
  const message = `${before}${messageOf(error)}`;
  return error instanceof ConfigurationError ? message.split('\n') : [message];
}

/** Prints lines to standard error. If that fails, there is nobody to tell. */
export function tell(...lines: readonly string[]): void {
  write(process.stderr, lines.map((line) => `${printable(line)}\n`).join('')).catch(() => {});
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  // A failure is also an event, which would end the process with a stack if nobody listened.
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

function ignore(): void {}
