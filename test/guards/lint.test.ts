// Outside judges of the published API: an OpenAPI linter, a GraphQL linter, and a comparison with the last release. None of
// them may use the internet.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, findBreakingChanges, isScalarType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { read, root } from '../support/source-files.ts';

/** Runs a program of a dependency and returns its output, whether or not the program succeeds. */
function run(name: string, args: string[]): Promise<string> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return new Promise((resolve) => {
    execFile(join(root, 'node_modules/.bin', name), args, { cwd: root, env }, (_error, stdout, stderr) => {
      resolve(`${stdout}${stderr}`);
    });
  });
}

describe('openapi.json', () => {
  test('is clean by the recommended rules of Redocly', async () => {
    const args = ['lint', '--extends=recommended', '--format=json', 'openapi.json'];
    const output = await run('redocly', args);
    // The program prints messages about itself around the report.
    const report = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1));
    expect(report.problems).toEqual([]);
    expect(report.totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  });
});

describe('schema.graphql', () => {
  test('is clean by all rules of the linter but one', async () => {
    // Enumerations are in lower case: their values are those of the REST surface (docs/decisions/requests.md, "Names and formats").
    const args = ['--except', 'enum-values-all-caps', '--format', 'json', 'schema.graphql'];
    const output = await run('graphql-schema-linter', args);
    // A line about the program's options follows the report.
    const { errors } = JSON.parse(output.slice(0, output.lastIndexOf('}') + 1));
    const problems: { rule: string; message: string }[] = errors;
    // Scalars are defined for all areas, even before the first area uses them.
    const isUnusedScalar = ({ rule, message }: { rule: string; message: string }) =>
      rule === 'defined-types-are-used' && isScalarType(schema.getType(/`(\w+)`/.exec(message)?.[1] ?? ''));
    expect(problems.filter((problem) => !isUnusedScalar(problem))).toEqual([]);
  });

  /**
   * Changes that break clients of the last release, each with its reason. A release empties this list, and writes the schema that it
   * has with `npm run release:baseline`.
   */
  const accepted: Readonly<Record<string, string>> = {};
  const released = 'test/guards/released.graphql';

  test.skipIf(!existsSync(join(root, released)))(
    'breaks no client of the last release (skipped before the first)',
    () => {
      const breaking = findBreakingChanges(buildSchema(read(released)), schema);
      expect(breaking.map(({ description }) => description).sort()).toEqual(Object.keys(accepted).sort());
    },
  );
});
