// Runs one command line to completion.

import { SallyportError } from '../domain/errors.ts';
import { messageOf } from '../domain/wording.ts';
import { createProgram } from './program.ts';

/**
 * Runs a command. An error is printed in one line on standard error, as JSON with `--json`, and sets the exit code to 1.
 *
 * @param args the arguments without the names of Node and the program
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
