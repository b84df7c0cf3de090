// Runs one command line, to its end.

import { SallyportError } from '../domain/errors.ts';
import { messageOf } from '../domain/wording.ts';
import { createProgram } from './program.ts';

/**
 * Runs a command. What goes wrong is told in one line on standard error, as JSON where JSON was asked for, and makes the exit code
 * of the process 1.
 *
 * @param args without the names of Node and of the program
 */
export async function runCommand(args: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    const field = error instanceof SallyportError && error.field !== undefined ? `${error.field} ` : '';
    const message = `${field}${messageOf(error)}`;
    process.stderr.write(`${args.includes('--json') ? JSON.stringify({ error: message }) : message}\n`);
    process.exitCode = 1;
  }
}
