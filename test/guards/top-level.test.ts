// The files at the top level of the repository: a file that a test leaves there by mistake must not be committed unnoticed.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { root } from '../support/source-files.ts';

const { stdout, status } = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });

test.skipIf(status !== 0)('holds what it is meant to hold, and nothing else', () => {
  const names = [...new Set(stdout.split('\0').map((path) => path.split('/')[0]))].filter((name) => name !== '');
  expect(names.sort()).toEqual([
    '.ci',
    '.dockerignore',
    '.editorconfig',
    '.gitattributes',
    '.github',
    '.gitignore',
    '.nvmrc',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'bench',
    'biome.json',
    'build.js',
    'bundle.js',
    'codegen.ts',
    'configuration.schema.json',
    'dashboard',
    'deploy',
    'docs',
    'examples',
    'openapi.json',
    'package-lock.json',
    'package.json',
    'prisma',
    'prisma.config.ts',
    'release',
    'schema.graphql',
    'src',
    'test',
    'tsconfig.build.json',
    'tsconfig.json',
    'vitest.config.ts',
  ]);
});
