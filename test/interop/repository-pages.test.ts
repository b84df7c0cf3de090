// Follows the pages on configuration in a repository, in CI and with Ansible as a reader does, against a server: what they show is run.
// Where Ansible is not installed, the test sends what its tasks say.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { apiKey, emptyFile, programFile, readyServer, rest, temporaryDirectory } from '../process/support.ts';
import { read } from '../support/source-files.ts';

const run = promisify(execFile);

/** The blocks of a page in a language. */
function blocksOf(page: string, language: string): string[] {
  const blocks = read(page).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm);
  return [...blocks].flatMap(([, of, text = '']) => (of === language ? text : []));
}

/** The document that the main page shows. */
const shown = blocksOf('docs/configuration-as-code.md', 'yaml')[0] ?? '';

/** Starts a server, in whose folder scripts run. */
async function prepare() {
  const directory = temporaryDirectory();
  const server = await readyServer(emptyFile());
  onTestFinished(() => void server.child.kill('SIGTERM'));
  mkdirSync(join(directory, 'bin'));
  const program = `#!/bin/sh\nexec ${process.execPath} ${programFile('dist/cli.js')} "$@"\n`;
  writeFileSync(join(directory, 'bin/sallyport'), program, { mode: 0o755 });
  const environment = {
    PATH: `${join(directory, 'bin')}:${process.env.PATH}`,
    HOME: directory,
    SALLYPORT_URL: server.url,
    SALLYPORT_API_KEY: apiKey,
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'user.name',
    GIT_CONFIG_VALUE_0: 'Reader',
    GIT_CONFIG_KEY_1: 'user.email',
    GIT_CONFIG_VALUE_1: 'reader@example.com',
  };
  const call = async (method: string, path: string, body?: object) => {
    const answer = await rest(server.url, method, path, body);
    return { status: answer.status, body: Object(await answer.json()) };
  };
  return {
    directory,
    url: server.url,
    call,
    write: (name: string, text: string) => writeFileSync(join(directory, name), text),
    policies: async () => (await call('GET', '/ip_policies')).body.ip_policies,
    /** Runs a script as the steps of a job are run, and returns what it prints. */
    async script(text: string, more: Record<string, string> = {}): Promise<string> {
      const options = { cwd: directory, env: { ...environment, ...more } };
      return (await run('bash', ['-eo', 'pipefail', '-c', text], options)).stdout;
    },
  };
}

const nothing = 'Nothing to do: the account is what the document describes.\n';

test('what stands is exported, taken over, and edited from then on', async () => {
  const { call, script, write } = await prepare();
  await call('POST', '/ip_policies', { description: 'office' });
  await script('git init --quiet .');
  const said = await script(blocksOf('docs/configuration-as-code.md', 'sh').join('\n'));
  expect(said.endsWith(nothing)).toBe(true);
  write('sallyport.yaml', shown);
  expect(await script('sallyport plan --server "$SALLYPORT_URL" --file sallyport.yaml || [ $? = 2 ]')).toContain(
    '+ create HttpsEdge intranet',
  );
});

test('the jobs of GitHub and GitLab plan and apply, and a review fails on what would be refused', async () => {
  const { directory, script, write } = await prepare();
  write('sallyport.yaml', shown);
  const [github, gitlab] = blocksOf('docs/ci.md', 'yaml').map((text) => parse(text));
  const stepOf = (job: string): string => github.jobs[job].steps.at(-1).run;
  const summary = join(directory, 'summary');
  await script(stepOf('plan'), { GITHUB_STEP_SUMMARY: summary });
  expect(readFileSync(summary, 'utf8')).toContain('+ create HttpsEdge intranet');
  expect(await script(gitlab.plan.script.join('\n'))).toContain('+ create HttpsEdge intranet');
  const [review = ''] = blocksOf('docs/ci.md', 'sh');
  expect(await script(review)).toBe('');
  expect(await script(stepOf('apply'))).toContain('+ create HttpsEdge intranet');
  expect(await script(gitlab.apply.script.join('\n'))).toBe(nothing);
  write('sallyport.yaml', shown.replace('type: endpoints', 'type: api'));
  await expect(script(review)).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('your own address') });
  await expect(script(stepOf('apply'))).rejects.toMatchObject({ code: 1 });
});

const hasAnsible = await run('ansible-playbook', ['--version']).then(
  () => true,
  () => false,
);

test('the playbook plans, applies and then has nothing to do', async () => {
  const { url, call, script, write, policies } = await prepare();
  const document = `document: ansible\nipPolicies:\n  branch:\n    rules: [{ cidr: 192.0.2.0/24, action: allow }]\n`;
  const [whole = '', rules = ''] = blocksOf('docs/ansible.md', 'yaml');
  const before = (await policies()).length;
  if (hasAnsible) {
    write('sallyport.yaml', document);
    write('sallyport.yml', whole.replace('https://sallyport.example.com', url));
    const [check = '', apply = '', again = ''] = (blocksOf('docs/ansible.md', 'sh')[0] ?? '').split('\n');
    expect(await script(check)).toMatch(/changed=1 .*failed=0 .*skipped=1/);
    expect((await policies()).length).toBe(before);
    expect(await script(apply)).toMatch(/changed=1 .*failed=0/);
    expect(await script(again)).toMatch(/changed=0 .*failed=0/);
  } else {
    const [{ module_defaults: defaults, tasks }] = parse(whole);
    const { method, headers } = defaults['ansible.builtin.uri'];
    // `call` sends them by itself.
    expect(headers).toEqual({ authorization: 'Bearer {{ sallyport_api_key }}', 'service-version': '2' });
    const values = new Map<string, unknown>([
      ['sallyport_url', ''],
      ['document', parse(document)],
    ]);
    for (const [name, changes] of [
      ['Plan', 1],
      ['Apply what was planned', undefined],
      ['Plan', 0],
    ] as const) {
      const task = tasks.find((one: { name: string }) => one.name === name)['ansible.builtin.uri'];
      const given = Object.entries<string>(task.body).map(([field, text]) => [field, rendered(text, values)]);
      const answer = await call(method, String(rendered(task.url, values)), Object.fromEntries(given));
      expect([name, answer.status, answer.body.changes?.length]).toEqual([name, 200, changes]);
      values.set('plan.json.digest', answer.body.digest);
    }
  }
  expect((await policies()).length).toBe(before + 1);

  const [policy] = await policies();
  const [{ tasks }] = parse(rules);
  if (hasAnsible) {
    write('rules.yml', rules.replace('https://sallyport.example.com', url));
    expect(await script('ansible-playbook rules.yml', { POLICY_ID: policy.id })).toMatch(/failed=0/);
  } else {
    const { method, url, body } = tasks[0]['ansible.builtin.uri'];
    const values = new Map([
      ['sallyport_url', ''],
      ['policy', policy.id],
    ]);
    expect((await call(method, String(rendered(url, values)), body)).status).toBe(200);
  }
  const { body } = await call('GET', '/ip_policy_rules');
  expect(
    body.ip_policy_rules.filter((rule: { ip_policy: { id: string } }) => rule.ip_policy.id === policy.id),
  ).toHaveLength(2);
});

/** Puts values into a text of a playbook; a text that is one expression becomes its value. */
function rendered(text: string, values: ReadonlyMap<string, unknown>): unknown {
  const [, only] = /^\{\{ ([\w.]+) \}\}$/.exec(text) ?? [];
  if (only !== undefined) return values.get(only);
  return text.replace(/\{\{ ([\w.]+) \}\}/g, (_, name: string) => String(values.get(name)));
}

test('the pages name each other', () => {
  const main = read('docs/configuration-as-code.md');
  for (const page of ['ci.md', 'ansible.md', 'terraform.md']) {
    expect([page, main.includes(`(${page})`), existsSync(join('docs', page))]).toEqual([page, true, true]);
  }
});
