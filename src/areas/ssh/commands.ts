// The commands of the area, in the order of the help.

import type { Command } from 'commander';
import { addSshAgentCommands } from './agents/agent-commands.ts';
import { addSshAuthorityCommands } from './authorities/authority-commands.ts';
import { addSshImportCommand } from './authorities/import-commands.ts';
import { addSshSuccessionCommands } from './authorities/succession-commands.ts';
import { addSshEnrollmentTokenCommands } from './enrollment/token-commands.ts';

/** Adds the commands for authorities and enrollment tokens. */
export function addCommands(program: Command): void {
  const authority = addSshAuthorityCommands(program);
  addSshImportCommand(authority);
  addSshAgentCommands(authority);
  addSshSuccessionCommands(authority);
  addSshEnrollmentTokenCommands(program);
}
