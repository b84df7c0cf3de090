// `serve`: the server, under the name that an installed package has for it.

import type { Command } from 'commander';
import { document } from './command.ts';

/** Adds the command. */
export function addServeCommand(program: Command): void {
  document(
    program
      .command('serve')
      .description(
        'Run the server until SIGTERM or SIGINT. It logs to standard error, and migrates its database first.',
      ),
    { example: 'serve', json: null },
  ).action(async () => {
    // A program of its own, which begins when it is loaded.
    await import('../main.ts');
  });
}
