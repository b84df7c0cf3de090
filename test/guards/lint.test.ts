// Outside judges of what we publish about the API: two linters of OpenAPI, one of GraphQL, and a comparison with the last
// release. None of them may ask the internet.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema, isScalarType } from 'graphql';
import { afterAll, describe, expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { read, root } from '../support/source-files.ts';

const directory = mkdtempSync(join(tmpdir(), 'sallyport-lint-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Runs a program of a dependency; its words are for the person who reads the failure. */
function run(name: string, args: string[]): Promise<{ code: number; output: string }> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return new Promise((resolve) => {
    execFile(join(root, 'node_modules/.bin', name), args, { cwd: root, env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: `${stdout}${stderr}` });
    });
  });
}

describe('openapi.json', () => {
  test('is clean by the recommended rules of Redocly', async () => {
    const args = ['lint', '--extends=recommended', '--format=json', 'openapi.json'];
    const { output } = await run('redocly', args);
    // Around the report the program writes about itself.
    const report = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1));
    expect(report.problems).toEqual([]);
    expect(report.totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  });

  test('is clean by the rules of Spectral', async () => {
    const rules = join(directory, 'spectral.yaml');
    writeFileSync(rules, 'extends: ["spectral:oas"]\n');
    const args = ['lint', '--ruleset', rules, '--fail-severity=hint', 'openapi.json'];
    const { code, output } = await run('spectral', args);
    expect(code, output).toBe(0);
    expect(output).toContain('No results with a severity of');
  });
});

describe('schema.graphql', () => {
  test('is clean by all rules of the linter but one', async () => {
    // Enumerations are in lower case: their values are those of the REST surface (docs/decisions.md, "Names and formats").
    const args = ['--except', 'enum-values-all-caps', '--format', 'json', 'schema.graphql'];
    const { output } = await run('graphql-schema-linter', args);
    // A line about its own options follows the report.
    const { errors } = JSON.parse(output.slice(0, output.lastIndexOf('}') + 1));
    const problems: { rule: string; message: string }[] = errors;
    // Scalars are there for all areas, also before the first one uses them.
    const isUnusedScalar = ({ rule, message }: { rule: string; message: string }) =>
      rule === 'defined-types-are-used' && isScalarType(schema.getType(/`(\w+)`/.exec(message)?.[1] ?? ''));
    expect(problems.filter((problem) => !isUnusedScalar(problem))).toEqual([]);
  });

  /**
   * Changes that break clients of the last release, each with its reason. The schema of the last release is
   * test/guards/released.graphql; a release empties this list and refreshes the file with `npm run release:baseline`, which
   * copies schema.graphql over it. Until the first release there are no clients to break: whoever changes the schema refreshes
   * the file in the same commit.
   */
  const accepted: Readonly<Record<string, string>> = {};

  test('breaks no client of the last release', async () => {
    const changes = await diff(buildSchema(read('test/guards/released.graphql')), schema);
    const breaking = changes
      .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
      .map(({ message }) => message);
    expect(breaking.sort()).toEqual(Object.keys(accepted).sort());
  });

  test('would not pass with a field fewer', async () => {
    const released = read('test/guards/released.graphql');
    const fewer = released.replace(/^ {2}"""The number of objects.*\n {2}totalCount: Int!\n/m, '');
    expect(fewer).not.toBe(released);
    const changes = await diff(buildSchema(released), buildSchema(fewer));
    expect(changes.map(({ criticality }) => criticality.level)).toEqual([CriticalityLevel.Breaking]);
  });
});
