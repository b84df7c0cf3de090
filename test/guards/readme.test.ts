// Runs the documentation: commands to paste are pasted, and everything that it names must exist.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leafCommands } from '../../docs/cli-page.ts';
import { variableNames } from '../../src/config.ts';
import { startService, type TestService } from '../support/service.ts';
import { filesBelow, read, root } from '../support/source-files.ts';

const pages = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'examples/README.md'],
  'dashboard/src/kit/README.md',
  ...filesBelow('docs', '.md'),
];

test.each(pages)('%s links to files that exist', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
});

/** Returns the anchors of the headings of a page, as GitHub and GitLab make them. */
function anchorsOf(page: string): string[] {
  const text = read(page).replace(/^```.*?^```/gms, '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(pages)('%s links to headings that exist', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)].map(([, file = '', anchor = '']) => ({
    target: file === '' ? page : join(dirname(page), file),
    anchor,
  }));
  const pagesOnly = links.filter(({ target }) => target.endsWith('.md'));
  expect(pagesOnly.filter(({ target, anchor }) => !anchorsOf(target).includes(anchor))).toEqual([]);
});

test.each(pages)('%s names paths of the project that exist', (page) => {
  const named = [...read(page).matchAll(/`((?:src|test|prisma|docs|deploy|bench|examples|\.ci)\/[\w./-]*)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('a request is told in ten files', () => {
  const [, steps = ''] = /## A request\n(.*?)\n\nExpected/s.exec(read('docs/architecture.md')) ?? [];
  expect(steps.match(/`[\w/-]+\.ts`/g)).toHaveLength(10);
});

const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts;

test.each(pages)('%s names commands that exist', (page) => {
  const text = read(page);
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test']));
  const commands = new Set(leafCommands().map(([path]) => path));
  const called = [...text.matchAll(/(?:`|^|npm run cli -- |&& )sallyport ((?:[a-z-]+ ?){1,2})/gm)].map(
    ([, words = '']) => words.trim(),
  );
  const known = (words: string) => [words, words.split(' ')[0]].some((name) => commands.has(`sallyport ${name}`));
  expect(called.filter((words) => !known(words))).toEqual([]);
});

test('.nvmrc, the engines of package.json and the types are of one version of Node', () => {
  const { engines, devDependencies } = JSON.parse(read('package.json'));
  const version = read('.nvmrc').trim();
  expect(engines.node).toMatch(new RegExp(`^>=${version}\\.`));
  expect(devDependencies['@types/node']).toMatch(new RegExp(`^\\^${version}\\.`));
});

test('the unit and the command line of an installation share their settings', () => {
  const file = '/etc/sallyport/environment';
  expect(read('deploy/sallyport.service')).toContain(`\nEnvironmentFile=${file}\n`);
  expect(read('deploy/sallyport')).toContain(`SALLYPORT_ENVIRONMENT:-${file}}`);
  const names = [...read('deploy/environment').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = '']) => name);
  expect(names.filter((name) => !variableNames.includes(name))).toEqual([]);
});

describe('the calls of the README', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ baseUrl: null });
  });
  afterAll(() => service.close());

  test('answer as they should when they are pasted in order', async () => {
    const blocks = [...read('README.md').matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
    const [settings = '', ...calls] = blocks;
    expect(settings).toContain('export API_KEY=');
    // The server runs in this process: it must be able to answer while the shell waits for it.
    const answers = [];
    for (const call of calls) answers.push(await paste(call, { API_KEY: service.token, URL: service.url }));
    expect(answers.map((answer) => answer.replace(/(ip[prx]|op)_[0-9a-z]{26}/g, '$1_...'))).toEqual([
      `{"ip_policies":[],"uri":"${service.url}/ip_policies","next_page_uri":null}`,
      '{"data":{"ipPolicies":{"nodes":[]}}}',
      '{"data":{"createIpPolicy":{"ipPolicy":{"id":"ipp_..."}}}}' +
        `{"id":"ipr_...","uri":"${service.url}/ip_policy_rules/ipr_...","created_at":"2026-11-20T21:00:00Z",` +
        `"description":"","metadata":"","cidr":"192.0.2.0/24","ip_policy":{"id":"ipp_...",` +
        `"uri":"${service.url}/ip_policies/ipp_..."},"action":"allow","expires_at":null}` +
        `{"id":"ipx_...","uri":"${service.url}/ip_restrictions/ipx_...","created_at":"2026-11-20T21:00:00Z",` +
        `"description":"","metadata":"","enforced":false,"type":"api","ip_policies":[{"id":"ipp_...",` +
        `"uri":"${service.url}/ip_policies/ipp_..."}]}`,
      '{"data":{"evaluateIp":{"allowed":true,"warned":true,"verdicts":[{"effect":"warn","decidedBy":null}]}}}',
    ]);
  });
});

function paste(script: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('bash', ['-euc', script], { env: { ...process.env, ...env } }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
}
