// `export`, `import`, `plan`, `apply` and `undo`: the configuration of an account as a document, at the database or at a server.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { type CommonOptions, document, print } from '../../cli/command.ts';
import { defaultAccountName } from '../../cli/first-start.ts';
import { reportingTime } from '../../cli/progress.ts';
import { SallyportError } from '../../domain/errors.ts';
import { remedies } from '../../domain/remedies.ts';
import type { JsonObject } from '../../domain/values/json.ts';
import { messageOf } from '../../domain/wording.ts';
import { createAsk, type WhereOptions, whereOptions } from './asking-commands.ts';
import { fieldsOf, linesOfPlan, listOf, signs } from './lines-commands.ts';
import type { ReadDocument } from './yaml-commands.ts';

/** The exit code of a plan that has changes, and of an application that has made some. */
const changesExitCode = 2;

interface FileOptions extends CommonOptions, WhereOptions {
  file: string;
}

interface DocumentOptions extends FileOptions {
  prune?: true;
  force?: true;
}

/** What is shown of a plan. */
const planFields = 'document digest requests changes asks left access refusals';

const planExample = {
  document: 'main',
  digest: 'i7Yd...',
  requests: 1,
  changes: [
    {
      action: 'update',
      kind: 'IpPolicy',
      name: 'office',
      id: 'ipp_01m7...',
      fields: [{ field: 'description', before: 'office', after: 'the office' }],
    },
  ],
  asks: [],
  left: [],
  access: [],
  refusals: [],
};

/** Adds the commands. That of the export becomes the default of the group of all exports. */
export function addCommands(program: Command): void {
  const exports = program.commands.find((command) => command.name() === 'export');
  if (exports === undefined) throw new Error('There is no group of exports.');
  document(
    whereOptions(
      exports
        .command('configuration', { isDefault: true })
        .description(
          'Write what an account has configured as a document, in YAML, which "apply" makes another account equal to.',
        )
        .option('--out <file>', 'file to write to (default: standard output)'),
    ),
    {
      example: 'export configuration --out sallyport.yaml',
      json: { document: { ipPolicies: { office: {} } }, missing: [] },
    },
  ).action(async (options: CommonOptions & WhereOptions & { out?: string }) => {
    const asked = createAsk(options)('{ exportConfiguration { document missing } }', {});
    const { exportConfiguration } = await reportingTime('Exporting', asked);
    const exported = fieldsOf(exportConfiguration);
    if (options.json === true) return print(options, [], exported);
    const { writeYaml } = await import('./yaml-commands.ts');
    const text = writeYaml(exported.document, listOf(exported.missing).map(fieldsOf), options.server);
    if (options.out === undefined) return print(options, text.replace(/\n$/, '').split('\n'), {});
    writeFileSync(options.out, text);
    return print(options, [`Wrote ${options.out}.`], {});
  });

  document(
    fileOption(
      program
        .command('import')
        .description(
          'Give to a document what exists already, and belongs to none: the objects that an export calls by the names in it. Nothing of ' +
            'them is changed; what differs is shown as by "plan". Exits with 2 if something belongs to it now that did not, and with 0 if not.',
        ),
    ),
    {
      example: 'import --file sallyport.yaml',
      json: {
        ...planExample,
        requestId: 'op_01m7...',
        imported: [{ kind: 'IpPolicy', name: 'office', id: 'ipp_01m7...' }],
      },
    },
  ).action(async (options: FileOptions) => {
    const { text, input } = await readInput(options);
    const mutation = `mutation ($input: ImportConfigurationInput!) { importConfiguration(input: $input) { imported { objects requestId plan { ${planFields} } } } }`;
    const asked = () => reportingTime('Importing', createAsk(options)(mutation, { input }));
    const { importConfiguration } = await placing(text, asked);
    const { plan, objects, requestId } = fieldsOf(fieldsOf(importConfiguration).imported);
    const imported = listOf(objects).map(fieldsOf);
    const lines = imported.map(({ kind, name }) => `= import ${kind} ${name}`);
    const isChanged = imported.length > 0;
    const back = isChanged ? [`To let them belong to no document again: ${undoing({ requestId }, options)}`] : [];
    const rest = ['', 'What applying the document would change:', ...linesOfPlan(fieldsOf(plan))];
    const none = isChanged ? [] : ['Nothing to import.'];
    await print(options, [...none, ...lines, ...back, ...rest], { ...fieldsOf(plan), requestId, imported });
    if (isChanged) process.exitCode = changesExitCode;
  });

  document(
    documentOptions(
      program
        .command('plan')
        .description(
          'Show what a document would change in an account, without changing anything. Exits with 2 if there are changes, and with 0 if not.',
        ),
    ),
    { example: 'plan --file sallyport.yaml', json: planExample },
  ).action(async (options: DocumentOptions) => {
    const { text, input } = await readPrunable(options);
    const query = `query ($input: PlanConfigurationInput!) { planConfiguration(input: $input) { ${planFields} } }`;
    const { planConfiguration } = await placing(text, () =>
      reportingTime('Planning', createAsk(options)(query, { input })),
    );
    const plan = fieldsOf(planConfiguration);
    await print(options, linesOfPlan(plan), plan);
    if (listOf(plan.changes).length > 0) process.exitCode = changesExitCode;
  });

  document(
    documentOptions(
      program
        .command('apply')
        .description(
          'Make an account what a document describes: all changes, or none. Exits with 2 if something was changed, and with 0 if not.',
        )
        .option('--plan <digest>', 'apply only the plan with this digest')
        .option('--force', 'apply it even if it would lock you out, or breaks an expectation'),
    ),
    { example: 'apply --file sallyport.yaml', json: { ...planExample, requestId: 'op_01m7...', shownOnce: [] } },
  ).action(async ({ plan: digest, ...options }: DocumentOptions & { plan?: string }) => {
    const { text, input } = await readPrunable(options);
    const mutation = `mutation ($input: ApplyConfigurationInput!) { applyConfiguration(input: $input) { applied { requestId shownOnce plan { ${planFields} } } } }`;
    const given = { ...input, force: options.force === true, ...(digest === undefined ? {} : { digest }) };
    const asked = () => reportingTime('Applying', createAsk(options)(mutation, { input: given }));
    const { applyConfiguration } = await placing(text, asked);
    const applied = fieldsOf(fieldsOf(applyConfiguration).applied);
    const plan = fieldsOf(applied.plan);
    const shown = listOf(applied.shownOnce).map(fieldsOf);
    const once = shown.map(
      ({ kind, name, field, value }) => `${kind} ${name}: its ${field}, shown only now, is ${value}`,
    );
    const isChanged = listOf(plan.changes).length > 0;
    const back = isChanged ? [`To take all of it back: ${undoing(applied, options)}`] : [];
    await print(options, [...linesOfPlan(plan), ...once, ...back], {
      ...plan,
      requestId: applied.requestId,
      shownOnce: shown,
    });
    if (isChanged) process.exitCode = changesExitCode;
  });

  document(
    whereOptions(
      program
        .command('undo <request-id>')
        .description(
          'Take back everything that one request has changed, such as an application of a document: all of it, or nothing. Its ID is ' +
            'what "apply" has printed, and what the audit trail and the answer to a request have.',
        )
        .option('--force', 'undo it even if that would lock you out, or break an expectation'),
    ),
    {
      example: 'undo op_01m7xehb24efe8sfxqfz0dt6w9',
      json: {
        requestId: 'op_01m7...',
        objects: [{ action: 'delete', kind: 'IpPolicy', id: 'ipp_01m7...', name: '"office"' }],
      },
    },
  ).action(async (requestId: string, options: CommonOptions & WhereOptions & { force?: true }) => {
    const mutation =
      'mutation ($input: UndoRequestInput!) { undoRequest(input: $input) { undone { requestId objects } } }';
    const input = { requestId, force: options.force === true };
    const asked = createAsk(options)(mutation, { input });
    const { undoRequest } = await reportingTime('Undoing', asked);
    const undone = fieldsOf(fieldsOf(undoRequest).undone);
    const objects = listOf(undone.objects).map(fieldsOf);
    const lines = objects.map(({ action, kind, name }) => `${signs[String(action)]} ${action} ${kind} ${name}`);
    await print(options, [...lines, `Undone. To take that back: ${undoing(undone, options)}`], undone);
  });
}

/** Returns the command that undoes a request, where it was made. */
function undoing({ requestId }: JsonObject, { server, account }: WhereOptions): string {
  const inAccount = account === defaultAccountName ? '' : ` --account ${account}`;
  return remedies.undo(String(requestId), server === undefined ? inAccount : ` --server ${server}`);
}

function fileOption(command: Command): Command {
  return whereOptions(command).requiredOption('-f, --file <file>', 'the document, in YAML or JSON');
}

function documentOptions(command: Command): Command {
  return fileOption(command).option('--prune', 'delete what the document has made and does not describe any more');
}

async function readPrunable({ prune, ...options }: DocumentOptions) {
  const { text, input } = await readInput(options);
  return { text, input: { ...input, prune: prune === true } };
}

/** Reads the document of a command, with the texts of variables and files in it. */
async function readInput({ file }: Pick<FileOptions, 'file'>) {
  const [{ readYaml }, { schema }, { configuredKinds }, { withTexts }, { partsOf }] = await Promise.all([
    import('./yaml-commands.ts'),
    import('../../graphql/schema.ts'),
    import('./kinds-schema.ts'),
    import('./texts-schema.ts'),
    import('./parts-schema.ts'),
  ]);
  const text = readYaml(file);
  const directory = dirname(resolve(file));
  const given = withTexts(configuredKinds(schema), text.value, (named, path) => {
    try {
      if ('file' in named) return readFileSync(resolve(directory, named.file), 'utf8');
    } catch (error) {
      throw placed(text, path, `cannot be read: ${messageOf(error)}`);
    }
    const value = process.env[named.env];
    if (value === undefined) throw placed(text, path, `the variable ${named.env} is not set.`);
    return value;
  });
  return { text, input: { document: partsOf(given) } };
}

/** Adds the line and column of what an error names to its message. */
async function placing<T>(text: ReadDocument, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SallyportError) || error.field === undefined) throw error;
    throw placed(text, error.field, messageOf(error));
  }
}

function placed({ file, positionOf }: ReadDocument, path: string, message: string): Error {
  const found = positionOf(path);
  return new Error(`${file}${found === null ? '' : `:${found}`}: ${path} ${message}`);
}
