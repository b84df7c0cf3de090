// The test files that take longest.

/**
 * Tests of the program within the test's own process that take longer than all the others together. `npm run test:quick` leaves them
 * out, to stay under a minute; all other runs include them.
 */
export const lengthy: readonly string[] = [
  'test/http/collections.test.ts',
  'test/storage/copy.test.ts',
  'test/examples/examples.test.ts',
  'test/http/answer-bounds.test.ts',
  'test/areas/https-edges/saml.rest.test.ts',
  'test/areas/ssh/renewal.test.ts',
  'test/storage/rows.test.ts',
  'test/http/scopes.test.ts',
  'test/storage/sqlite-adapter.test.ts',
  'test/areas/ssh/keys/openssh.test.ts',
  'test/http/slow-streams.test.ts',
  'test/http/isolation.test.ts',
  'test/areas/audit-events/restore.test.ts',
  'test/gate/login.test.ts',
  'test/areas/ssh/revocation-list.test.ts',
  'test/storage/writes.test.ts',
  'test/areas/ssh/ssh-host-certificates.rest.test.ts',
  'test/areas/ssh/keys/private-key.test.ts',
  'test/gate/freshness.test.ts',
  'test/areas/ssh/ssh-certificate-authorities.rest.test.ts',
  'test/http/counted-bounds.test.ts',
  'test/http/dashboard-sessions.test.ts',
  'test/http/hostile-bodies.test.ts',
  'test/domain/saml/response.test.ts',
  'test/areas/ip-restrictions/evaluate-ip.test.ts',
  'test/http/idempotency.test.ts',
  'test/gate/logout.test.ts',
  'test/areas/ssh/turns.test.ts',
];

/**
 * The files that take longest, longest first, for a machine without records of earlier runs: vitest would order files by size, and a
 * long file that starts late keeps one processor busy while the others have nothing left to do.
 */
export const longest: readonly string[] = [
  'test/postgres/failures.test.ts',
  'test/postgres/workers.test.ts',
  'test/postgres/balancer.test.ts',
  'test/postgres/instances.test.ts',
  'test/postgres/production.test.ts',
  'test/postgres/standby.test.ts',
  'test/interop/ssh-host-script.test.ts',
  'test/process/sqlite-damage.test.ts',
  'test/browser/dashboard-habits.test.ts',
  'test/interop/ssh-fleet.test.ts',
  'test/process/sqlite-one-owner.test.ts',
  'test/browser/dashboard-ip.test.ts',
  'test/browser/dashboard-https-edges.test.ts',
  'test/process/build.test.ts',
  'test/browser/pages.test.ts',
  'test/process/packed.test.ts',
  'test/areas/ssh/secrecy.test.ts',
  'test/browser/dashboard-edges-and-keys.test.ts',
  'test/process/gate-login-kill.test.ts',
  'test/browser/dashboard-overview.test.ts',
  'test/interop/exports.test.ts',
  'test/process/cli.test.ts',
  'test/process/sqlite-backup.test.ts',
  'test/browser/dashboard-ssh.test.ts',
  'test/torture/hostile.test.ts',
  'test/torture/kill.test.ts',
  'test/interop/openssh.test.ts',
  'test/process/ssh-authorities.test.ts',
  ...lengthy,
];
