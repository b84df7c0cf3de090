// Writes the page about the command line from the commands themselves.

import type { Command } from 'commander';
import { documentationOf } from '../src/cli/command.ts';
import { createProgram } from '../src/cli/program.ts';

/** Every command that does something, with the groups that it is in. */
export function leafCommands(command: Command = createProgram(), groups: readonly string[] = []): [string, Command][] {
  const path = [...groups, command.name()];
  if (command.commands.length === 0) return [[path.join(' '), command]];
  return command.commands.flatMap((inner) => leafCommands(inner, path));
}

/** Makes the page. */
export function cliPage(): string {
  const sections = leafCommands().map(([path, command]) => {
    const documentation = documentationOf(command);
    if (documentation === undefined) throw new Error(`${path} has no documentation.`);
    const usage = [path, ...command.registeredArguments.map((argument) => `<${argument.name()}>`)].join(' ');
    const options = command.options
      .filter(({ long }) => long !== '--json')
      .map(({ flags, description, argChoices, defaultValue }) => {
        const choices = argChoices === undefined ? '' : `: ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`;
        const standard = defaultValue ? `; default \`${defaultValue}\`` : '';
        return `| \`${flags}\` | ${description}${choices}${standard} |`;
      });
    return [
      // Markdown takes an argument for HTML, and does not show it.
      `## ${usage.replaceAll('<', '\\<')}`,
      command.description(),
      ...(options.length === 0 ? [] : [`| Option | |\n|---|---|\n${options.join('\n')}`]),
      `\`\`\`\nsallyport ${documentation.example}\n\`\`\``,
      ...(documentation.json === null
        ? []
        : [`With \`--json\`:\n\n\`\`\`json\n${JSON.stringify(documentation.json, null, 2)}\n\`\`\``]),
    ].join('\n\n');
  });
  return `# Command line

<!-- Written by docs/cli-page.ts from the commands in src/cli. -->

On an installed server, call [\`sallyport\`](operations.md#install), which uses the server's settings and runs as its user. In a
clone, use \`npm run cli --\` instead. The settings are the same [environment variables](configuration.md). Every command has
\`--help\`.

Results go to standard output, everything else to standard error. The exit code is 0 on success and 1 on failure, with a one-line
reason. With \`--json\`, which all but \`serve\` take, the output is one JSON document on one line, in the format shown here: fields keep
their names and types, and new ones may be added. An error is then \`{"error": "..."}\` on standard error. Only \`key create\` and
\`ssh-enrollment-token create\` ever print a secret. Characters that a terminal would obey are printed as escapes, such as
\`\\u001b\`. When the reader of the output has gone, as with \`| head\`, the exit code is 141.

${sections.join('\n\n')}
`;
}
