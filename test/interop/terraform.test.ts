// The example for Terraform, by Terraform itself and the provider of the API family, unmodified: created, planned empty, changed, imported,
// destroyed. Needs both: the program on the path, and `TERRAFORM_PROVIDER`, a folder with the built `terraform-provider-ngrok`. What the
// provider sends is also tested without them (`test/clients/terraform.test.ts`).

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../process/support.ts';
import { startService } from '../support/service.ts';

const run = promisify(execFile);
const plugin = process.env.TERRAFORM_PROVIDER;
const hasProgram = await run('terraform', ['version']).then(
  () => true,
  () => false,
);
const runs = plugin !== undefined && hasProgram;
const skipped = runs ? '' : ': SKIPPED, no Terraform or no TERRAFORM_PROVIDER';

/** Starts a service and a folder with a configuration. */
async function prepare() {
  const service = await startService({ baseUrl: null });
  const directory = temporaryDirectory();
  const rc = join(directory, 'rc');
  writeFileSync(rc, `provider_installation {\n  dev_overrides { "ngrok/ngrok" = "${plugin}" }\n  direct {}\n}\n`);
  const settings = { TF_CLI_CONFIG_FILE: rc, TF_VAR_url: service.url, TF_VAR_api_key: service.token };
  const env = { ...process.env, ...settings, CHECKPOINT_DISABLE: '1' };
  const terraform = async (...args: string[]) => (await run('terraform', args, { cwd: directory, env })).stdout;
  return {
    service,
    write: (text: string) => writeFileSync(join(directory, 'main.tf'), text),
    terraform,
    apply: () => terraform('apply', '-no-color', '-auto-approve'),
    // Fails with code 2 if anything would change.
    expectEmptyPlan: () => terraform('plan', '-no-color', '-detailed-exitcode'),
    destroy: () => terraform('destroy', '-no-color', '-auto-approve'),
  };
}

const example = readFileSync('examples/terraform/main.tf', 'utf8');
const destroyable = example.replace('prevent_destroy = true', 'prevent_destroy = false');

test.skipIf(!runs)(
  `the example is created, changed, imported, and destroyed${skipped}`,
  { timeout: 300_000 },
  async () => {
    const { service, write, terraform, apply, expectEmptyPlan, destroy } = await prepare();
    write(destroyable);
    expect(await apply()).toContain('6 added, 0 changed, 0 destroyed');
    await expectEmptyPlan();
    write(
      destroyable
        .replace('"Berlin"', '"Berlin, Mitte"')
        .replace('203.0.113.128/25', '203.0.113.192/26')
        .replace(/enforced( +)= true/, 'enforced$1= false')
        .replace('"Hosts"', '"All hosts"'),
    );
    expect(await apply()).toContain('0 added, 4 changed, 0 destroyed');
    await expectEmptyPlan();
    const shown = JSON.parse(await terraform('show', '-json'));
    for (const { address, values } of shown.values.root_module.resources) {
      await terraform('state', 'rm', address);
      await terraform('import', '-no-color', address, values.id);
    }
    await expectEmptyPlan();
    expect(await destroy()).toContain('6 destroyed');
    expect((await service.rest('GET', '/ip_policies')).body.ip_policies).toEqual([]);
  },
);

test.skipIf(!runs)(
  `with depends_on, a restriction that guards its own client comes and goes${skipped}`,
  { timeout: 300_000 },
  async () => {
    const { service, write, apply, expectEmptyPlan, destroy } = await prepare();
    const guarding = destroyable.replaceAll('203.0.113.0/24', '127.0.0.0/8').replace('"endpoints"', '"api"');
    write(guarding);
    expect(await apply()).toContain('6 added');
    await expectEmptyPlan();
    // The action of the rule that lets the client in is replaced, which would lock it out.
    write(guarding.replace(/("127\.0\.0\.0\/8"\n +action += )"allow"/, '$1"deny"'));
    await expect(apply()).rejects.toMatchObject({ stderr: expect.stringContaining('LOCKOUT') });
    write(guarding);
    await expectEmptyPlan();
    expect(await destroy()).toContain('6 destroyed');
    expect((await service.rest('GET', '/ip_restrictions')).body.ip_restrictions).toEqual([]);
  },
);
