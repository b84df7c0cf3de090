// The order in which test files start.

import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from './source-files.ts';

/**
 * The files that take longest, on a machine where nothing is known of earlier runs: vitest would take the largest files for them.
 * One that starts late keeps a run waiting while a processor has nothing to do.
 */
export const longest: readonly string[] = [
  'test/postgres/failures.test.ts',
  'test/postgres/production.test.ts',
  'test/postgres/balancer.test.ts',
  'test/postgres/instances.test.ts',
  'test/postgres/starting.test.ts',
  'test/process/one-owner.test.ts',
  'test/process/build.test.ts',
  'test/process/signals.test.ts',
  'test/process/damage.test.ts',
  'test/process/ops-server.test.ts',
  'test/process/ops-backup.test.ts',
  'test/torture/kill.test.ts',
  'test/torture/hostile.test.ts',
  'test/browser/pages.test.ts',
  'test/process/ops-cli.test.ts',
  'test/process/packed.test.ts',
  'test/process/copy.test.ts',
  'test/interop/openssh.test.ts',
  'test/interop/exports.test.ts',
  'test/torture/fuzz.test.ts',
  'test/process/departing.test.ts',
  'test/process/cli.test.ts',
  'test/process/first-start.test.ts',
  'test/storage/copy.test.ts',
  'test/http/collections.test.ts',
  'test/areas/ssh/ssh-host-certificates.rest.test.ts',
  'test/areas/audit-events/restore.test.ts',
  'test/areas/ip-restrictions/evaluate-ip.test.ts',
  'test/http/answer-bounds.test.ts',
  'test/gate/login.test.ts',
  'test/areas/ssh/revocation-list.test.ts',
  'test/gate/logout.test.ts',
  'test/storage/rows.test.ts',
  'test/http/hostile-bodies.test.ts',
  'test/http/slow-streams.test.ts',
  'test/http/idempotency.test.ts',
  'test/areas/https-edges/saml.rest.test.ts',
  'test/examples/examples.test.ts',
];

/**
 * Starts the files of a group that take longest first, one project after the other in the order of vitest.config.ts. A worker
 * serves one project: each change of it would load all modules again.
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
