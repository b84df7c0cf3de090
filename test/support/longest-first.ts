// Decides the order in which test files start.

import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { longest } from './longest.ts';
import { root } from './source-files.ts';

/**
 * Starts the projects of a group one after the other, in the order of vitest.config.ts, and the files of each project longest
 * first. A worker serves one project: each change of project would load all modules again.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = this.ctx.projects.map(({ name }) => name);
    const placed = (await super.sort(files)).map((file) => {
      const { name, config } = file.project;
      const place = longest.indexOf(relative(root, file.moduleId));
      const rank = place < 0 ? longest.length : place;
      return { file, group: config.sequence.groupOrder, project: projects.indexOf(name), rank };
    });
    placed.sort((one, two) => one.group - two.group || one.project - two.project || one.rank - two.rank);
    return placed.map(({ file }) => file);
  }
}
