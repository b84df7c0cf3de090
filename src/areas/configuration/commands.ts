// `export`, `plan` and `apply`: the configuration of an account as a document, at the database or at a server.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { LineCounter } from 'yaml';
import { type CommonOptions, document, print } from '../../cli/command.ts';
import { SallyportError } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts';
import { messageOf } from '../../domain/wording.ts';
import { createAsk, type WhereOptions, whereOptions } from './asking-commands.ts';

/** Longest document, in bytes. */
const fileBytesMax = 16 * 2 ** 20;
/** Most nodes that a document repeats by aliases. */
const aliasesMax = 100;

/** The exit code of a plan that has changes, and of an application that has made some. */
const changesExitCode = 2;

interface DocumentOptions extends CommonOptions, WhereOptions {
  file: string;
  prune?: true;
  adopt?: true;
  force?: true;
}

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
    const { exportConfiguration } = await createAsk(options)('{ exportConfiguration { document missing } }', {});
    const exported = fieldsOf(exportConfiguration);
    if (options.json === true) return print(options, [], exported);
    const text = await writeYaml(exported);
    if (options.out === undefined) return print(options, text.replace(/\n$/, '').split('\n'), {});
    writeFileSync(options.out, text);
    return print(options, [`Wrote ${options.out}.`], {});
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
    const { text, input } = await readInput(options);
    const query =
      'query ($input: PlanConfigurationInput!) { planConfiguration(input: $input) { document digest requests changes left access refusals } }';
    const { planConfiguration } = await placing(text, () => createAsk(options)(query, { input }));
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
        .option('--force', 'apply it even if it would lock you out'),
    ),
    { example: 'apply --file sallyport.yaml', json: { ...planExample, shownOnce: [] } },
  ).action(async ({ plan: digest, ...options }: DocumentOptions & { plan?: string }) => {
    const { text, input } = await readInput(options);
    const mutation =
      'mutation ($input: ApplyConfigurationInput!) { applyConfiguration(input: $input) { applied { shownOnce plan { document digest requests changes left access refusals } } } }';
    const given = { ...input, force: options.force === true, ...(digest === undefined ? {} : { digest }) };
    const { applyConfiguration } = await placing(text, () => createAsk(options)(mutation, { input: given }));
    const applied = fieldsOf(fieldsOf(applyConfiguration).applied);
    const plan = fieldsOf(applied.plan);
    const shown = listOf(applied.shownOnce).map(fieldsOf);
    const once = shown.map(
      ({ kind, name, field, value }) => `${kind} ${name}: its ${field}, shown only now, is ${value}`,
    );
    await print(options, [...linesOfPlan(plan), ...once], { ...plan, shownOnce: shown });
    if (listOf(plan.changes).length > 0) process.exitCode = changesExitCode;
  });
}

function documentOptions(command: Command): Command {
  return whereOptions(command)
    .requiredOption('-f, --file <file>', 'the document, in YAML or JSON')
    .option('--prune', 'delete what the document has made and does not describe any more')
    .option('--adopt', 'take over objects of no document that an export calls by the same names');
}

/** Reads the document of a command, with the texts of variables and files in it. */
async function readInput({ file, prune, adopt }: DocumentOptions) {
  const text = await readYaml(file);
  const [{ schema }, { configuredKinds }, { withTexts }] = await Promise.all([
    import('../../graphql/schema.ts'),
    import('./kinds-schema.ts'),
    import('./texts-schema.ts'),
  ]);
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
  return { text, input: { document: given, prune: prune === true, adopt: adopt === true } };
}

/** A document that was read, with the means to say where in it something is. */
interface ReadDocument {
  readonly file: string;
  readonly value: unknown;
  /** Returns where what an error names is, as `line:column`: it, or what it would be in; null if that is not there. */
  readonly placeOf: (path: string) => string | null;
}

/** Reads a document. JSON is YAML. Throws Error with line and column for what is not sound YAML, or too much. */
async function readYaml(file: string): Promise<ReadDocument> {
  const { size } = statSync(file);
  if (size > fileBytesMax) throw new Error(`${file} has ${size} bytes; a document has at most ${fileBytesMax}.`);
  const yaml = await import('yaml');
  const lineCounter: LineCounter = new yaml.LineCounter();
  const parsed = yaml.parseDocument(readFileSync(file, 'utf8'), { lineCounter, prettyErrors: false });
  const textOf = (key: unknown) => String(yaml.isScalar(key) ? key.value : key);
  const place = (at: number) => {
    const { line, col } = lineCounter.linePos(at);
    return `${line}:${col}`;
  };
  // Unknown tags are only warnings to the parser.
  const [problem] = [...parsed.errors, ...parsed.warnings];
  if (problem !== undefined) throw new Error(`${file}:${place(problem.pos[0])}: ${problem.message}`);
  return {
    file,
    value: parsed.toJS({ maxAliasCount: aliasesMax }),
    placeOf(path) {
      let [node, rest]: [unknown, string] = [parsed.contents, path];
      let found: string | null = null;
      while (rest !== '' && yaml.isCollection(node)) {
        // Names can have dots, too.
        const steps = yaml.isMap(node) ? node.items.map(({ key }) => textOf(key)) : [/^\d+/.exec(rest)?.[0] ?? ''];
        const [step] = steps
          .filter((one) => one !== '' && rest.startsWith(one) && /^([.[\]]|$)/.test(rest.slice(one.length)))
          .sort((a, b) => b.length - a.length);
        if (step === undefined) break;
        node = node.get(yaml.isMap(node) ? step : Number(step), true);
        rest = rest.slice(step.length).replace(/^[.[\]]+/, '');
        if (yaml.isNode(node) && node.range != null) found = place(node.range[0]);
      }
      return found;
    },
  };
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

function placed({ file, placeOf }: ReadDocument, path: string, message: string): Error {
  const found = placeOf(path);
  return new Error(`${file}${found === null ? '' : `:${found}`}: ${path} ${message}`);
}

/** Writes a document as YAML, with comments that say what it cannot have. */
async function writeYaml(exported: JsonObject): Promise<string> {
  const yaml = await import('yaml');
  const written = new yaml.Document(exported.document, { aliasDuplicateObjects: false });
  const missing = listOf(exported.missing).map((one) => ` ${fieldsOf(one).path} ${fieldsOf(one).why}.`);
  written.commentBefore = [
    ' The configuration of an account, as it was exported. Applied to another account, it makes that equal to it.',
    ' API keys, host certificates, private keys, roles, people, sign-in providers and webhooks are not part of it.',
    ...missing,
  ].join('\n');
  return written.toString({ lineWidth: 0 });
}

/** Writes a plan for people. */
function linesOfPlan(plan: JsonObject): string[] {
  const changes = listOf(plan.changes).map(fieldsOf);
  const signs: Readonly<Record<string, string>> = { create: '+', update: '~', replace: '-/+', delete: '-', adopt: '=' };
  const lines = changes.flatMap(({ action, kind, name, fields }) => [
    `${signs[String(action)] ?? action} ${action} ${kind} ${name}`,
    ...listOf(fields)
      .map(fieldsOf)
      .map(({ field, before, after }) => `    ${field}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`),
  ]);
  const access = listOf(plan.access)
    .map(fieldsOf)
    .flatMap(({ traffic, newlyAllowed, newlyAllowedCount, newlyRefused, newlyRefusedCount }) => [
      ...sentenceOfRanges(`Lets in at ${traffic}`, newlyAllowed, newlyAllowedCount),
      ...sentenceOfRanges(`Shuts out at ${traffic}`, newlyRefused, newlyRefusedCount),
    ]);
  const left = listOf(plan.left)
    .map(fieldsOf)
    .map(({ kind, name }) => `${kind} ${name} is not in the document any more, and stays: --prune would delete it.`);
  const refusals = listOf(plan.refusals)
    .map(fieldsOf)
    .map(({ code, message }) => `Refused: ${code}: ${message}`);
  if (changes.length === 0) return ['Nothing to do: the account is what the document describes.', ...left];
  return [
    ...lines,
    ...access,
    ...left,
    ...refusals,
    `${changes.length} changes, as ${plan.requests} requests would make. Plan ${plan.digest}`,
  ];
}

function sentenceOfRanges(what: string, ranges: unknown, count: unknown): string[] {
  const shown = listOf(ranges);
  if (shown.length === 0) return [];
  const more = Number(count) > shown.length ? ` and ${Number(count) - shown.length} more ranges` : '';
  return [`${what}: ${shown.join(', ')}${more}.`];
}

function fieldsOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
