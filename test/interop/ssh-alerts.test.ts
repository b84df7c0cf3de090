// The alerts about SSH hosts: Prometheus's own program runs the rules on what the metrics count while the clock moves on.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sshUpkeep } from '../../src/areas/ssh/upkeep.ts';
import { startService, startTime, type TestService } from '../support/service.ts';
import { read, root } from '../support/source-files.ts';
import { hostKeys } from '../support/ssh.ts';

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;
if (!hasPromtool) process.stderr.write('The test of the alerts is skipped: no promtool (Debian: prometheus).\n');

const rules = 'deploy/prometheus/ssh-alerts.yaml';
const dayMs = 86_400_000;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('the page about operation names the expression of each rule', () => {
  const expressions = [...read(rules).matchAll(/expr: (.*)/g)].map(([, expression]) => expression);
  const page = read('docs/operations.md');
  expect(expressions.length).toBe(2);
  expect(expressions.filter((expression) => !page.includes(`| \`${expression}\` |`))).toEqual([]);
});

test.skipIf(!hasPromtool)(
  'they fire while hosts are late or their certificates have ended, and not for short ones',
  async () => {
    const { id } = (await service.rest('POST', '/ssh_certificate_authorities', {})).body;
    // Valid for 6 days, and for 90.
    for (const days of [6, 90]) {
      await service.rest('POST', '/ssh_host_certificates', {
        ...{ ssh_certificate_authority_id: id, public_key: hostKeys.ed25519, principals: [`host${days}.example.com`] },
        valid_until: new Date(startTime.getTime() + days * dayMs).toISOString(),
      });
    }
    const gauge = sshUpkeep.gauges?.find(({ name }) => name === 'sallyport_ssh_host_certificates_by_state');
    const cases = [
      [1, []],
      [5.5, ['SallyportHostCertificatesLate']],
      [30, ['SallyportHostCertificatesEnded']],
      [80, ['SallyportHostCertificatesEnded', 'SallyportHostCertificatesLate']],
      [400, ['SallyportHostCertificatesEnded']],
    ] as const;
    const tests = [];
    for (const [days, fire] of cases) {
      const counts = (await gauge?.count(service.storage.server, new Date(startTime.getTime() + days * dayMs))) ?? [];
      const alerts = ['SallyportHostCertificatesEnded', 'SallyportHostCertificatesLate'].map((name) => ({
        expr: `count(ALERTS{alertname="${name}", alertstate="firing"}) or vector(0)`,
        eval_time: '10m',
        exp_samples: [{ labels: '{}', value: fire.some((one) => one === name) ? 1 : 0 }],
      }));
      tests.push({
        name: `after ${days} days`,
        interval: '1m',
        input_series: counts.map(({ labels, count }) => ({
          series: `${gauge?.name}{state="${labels.state}"}`,
          values: `${count}x20`,
        })),
        promql_expr_test: alerts,
      });
    }
    const directory = mkdtempSync(join(tmpdir(), 'alerts-'));
    // JSON is YAML.
    writeFileSync(
      join(directory, 'test.yaml'),
      JSON.stringify({ rule_files: [join(root, rules)], evaluation_interval: '1m', tests }),
    );
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', join(directory, 'test.yaml')], {
      encoding: 'utf8',
    });
    rmSync(directory, { recursive: true });
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
  },
);
