// The jobs of public CI. They cannot be run here; that they leave out no test can be seen here.

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import config from '../../vitest.config.ts';
import { read } from '../support/source-files.ts';

test('the jobs of public CI run every group of tests', () => {
  const { jobs } = parse(read('.github/workflows/ci.yml'));
  const { scripts } = JSON.parse(read('package.json'));
  const quick = [...String(scripts['test:quick']).matchAll(/--project (\S+)/g)].map(([, name]) => name);
  const projects = config.test?.projects?.map((project) =>
    typeof project === 'object' && 'test' in project ? project.test?.name : project,
  );
  expect(jobs.quick.steps.at(-1).run).toBe('npm run test:quick');
  expect([...quick, ...jobs.groups.strategy.matrix.group].sort()).toEqual(projects?.sort());
});
