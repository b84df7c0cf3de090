// Runs one command line to completion.

import { CommanderError } from 'commander';
import { SallyportError } from '../domain/errors.ts';
import { messageOf } from '../domain/wording.ts';
import { linesOf, OutputError, printLines, tell, unreadExitCode } from './output.ts';
import { createProgram } from './program.ts';

/**
 * Runs a command. An error is printed in one line on standard error, as JSON with `--json`, and sets the exit code to 1. If nobody
 * reads the output any more, the command ends quietly with the exit code that shells know for it.
 *
 * @param args the arguments without the names of Node and the program
 */
export async function runCommand(args: readonly string[]): Promise<void> {
  try {
    await parse(args);
  } catch (error) {
    process.exitCode = error instanceof OutputError && error.isUnread ? unreadExitCode : 1;
    if (process.exitCode === unreadExitCode) return;
    const field = error instanceof SallyportError && error.field !== undefined ? `${error.field} ` : '';
    if (args.includes('--json')) tell(JSON.stringify({ error: `${field}${messageOf(error)}` }));
    else tell(...linesOf(error, field));
  }
}

async function parse(args: readonly string[]): Promise<void> {
  const help: string[] = [];
  try {
    await createProgram((text) => help.push(text)).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    await printLines(help.flatMap((text) => text.replace(/\n$/, '').split('\n')));
    process.exitCode = error.exitCode;
  }
}
