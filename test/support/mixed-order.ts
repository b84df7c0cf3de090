// The order in which test files start.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Mixes the projects of a group evenly. Vitest would start one project after the other, so that at last only tests on servers
 * were left, which wait for each other while a processor has nothing to do.
 */
export class MixedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placed = sorted.map((file) => {
      const { name, config } = file.project;
      const siblings = sorted.filter(({ project }) => project.name === name);
      return { file, group: config.sequence.groupOrder, place: siblings.indexOf(file) / siblings.length };
    });
    return placed.sort((one, two) => one.group - two.group || one.place - two.place).map(({ file }) => file);
  }
}
