// Assembles the command line from its groups, in the order of the help.

import { Command } from 'commander';
import { loadParts } from '../areas/parts.ts';
import { misspeltVariables } from '../config.ts';
import { readCommit, readVersion } from '../telemetry/version.ts';
import { addAccountCommands } from './accounts.ts';
import { addCopyCommand } from './copy.ts';
import { addBackupCommands, addMigrateCommands, addSecretCommands } from './database.ts';
import { addDoctorCommand } from './doctor.ts';
import { addExportCommands } from './export.ts';
import { tell } from './output.ts';
import { addServeCommand } from './serve-command.ts';

const commandsOfAreas = await loadParts('commands');

/**
 * Creates the command line. It reads the configuration only when a command runs. Where commander would end the process, after the
 * help or a mistake, parsing throws its CommanderError.
 *
 * @param writeHelp called with what was asked of commander itself: the help, the version
 */
export function createProgram(writeHelp: (text: string) => void = () => {}): Command {
  const program = new Command('sallyport').description(
    'Manages a Sallyport database: accounts, API keys, SSH certificate authorities, IP restrictions, backups, and its health.',
  );
  const commit = readCommit();
  const version = commit === null ? readVersion() : `${readVersion()} (commit ${commit})`;
  program.version(version, '-V, --version', 'print the version, and the commit that it was built from');
  program.addHelpText(
    'after',
    '\nIt reads the same environment variables as the server: docs/configuration.md.\n\nExample:\n  $ sallyport doctor',
  );
  // Before the commands, which inherit both.
  program.configureOutput({ writeOut: writeHelp, writeErr: (text) => tell(...text.replace(/\n$/, '').split('\n')) });
  program.exitOverride();
  program.hook('preAction', (_program, command) => {
    // The doctor has a line for it, and so has the log of the server.
    if (!['doctor', 'serve'].includes(command.name())) tell(...misspeltVariables(process.env));
  });
  addServeCommand(program);
  addAccountCommands(program);
  addExportCommands(program);
  for (const { addCommands } of commandsOfAreas) addCommands(program);
  addMigrateCommands(program);
  addBackupCommands(program);
  addCopyCommand(program);
  addSecretCommands(program);
  addDoctorCommand(program);
  return program;
}
