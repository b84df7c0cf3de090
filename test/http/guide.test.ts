// The guide: the pages of `docs`, as the build renders them and the server serves them.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { renderMarkdown } from '../../docs/guide/markdown.ts';
import { listGuide } from '../../src/surfaces/pages/guide.ts';
import { startService, type TestService } from '../support/service.ts';
import { filesBelow, read, root } from '../support/source-files.ts';

let service: TestService;
beforeAll(async () => {
  execFileSync(process.execPath, ['--import', 'tsx', join(root, 'docs/guide/build.ts')]);
  service = await startService({ guide: listGuide(join(root, 'dist/guide')) });
});

test('every link, anchor and picture of every page leads somewhere', async () => {
  const guide = `${service.url}/docs/guide/`;
  const pages = new Map<string, string>();
  const broken: string[] = [];
  const open = async (url: string, from: string) => {
    if (pages.has(url)) return;
    const response = await fetch(url);
    const text = await response.text();
    pages.set(url, text);
    if (response.status !== 200) broken.push(`${from}: ${url} ${response.status}`);
    if (!response.headers.get('content-type')?.startsWith('text/html')) return;
    for (const [, target = ''] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      const to = new URL(target, url);
      if (!to.href.startsWith(guide)) continue;
      const page = to.href.replace(/#.*/, '');
      await open(page, url);
      const anchor = to.hash.slice(1);
      if (anchor !== '' && anchor !== 'content' && !pages.get(page)?.includes(`id="${anchor}"`)) {
        broken.push(`${url}: ${target}`);
      }
    }
  };
  await open(guide, '');
  // The dashboard links to these from the pages of its areas.
  const helps = filesBelow('dashboard/src/areas', 'area.ts').flatMap(
    (path) => /^ {2}guide: '(.*)'/m.exec(read(path))?.[1] ?? [],
  );
  expect(helps.length).toBeGreaterThan(7);
  for (const help of helps) {
    const [page = '', anchor = ''] = help.split('#');
    if (!pages.get(`${guide}${page}`)?.includes(anchor === '' ? 'id=' : `id="${anchor}"`)) broken.push(`help: ${help}`);
  }
  expect(broken).toEqual([]);
  expect(pages.size).toBeGreaterThan(35);
});

test('a page has its own policy, is asked for again each time, and redirects to its place', async () => {
  const response = await fetch(`${service.url}/docs/guide/operations`, { headers: { 'Accept-Encoding': 'br' } });
  expect(response.headers.get('content-encoding')).toBe('br');
  expect(response.headers.get('cache-control')).toBe('public, no-cache');
  expect(response.headers.get('content-security-policy')).toBe(
    "default-src 'none';style-src 'self';img-src 'self' data:;base-uri 'none';form-action 'none';frame-ancestors 'none'",
  );
  // With its own `Cache-Control`: `fetch` would add `no-cache`, which asks for the whole page.
  const headers = {
    'Accept-Encoding': 'br',
    'If-None-Match': response.headers.get('etag') ?? '',
    'Cache-Control': 'max-age=0',
  };
  const again = await fetch(response.url, { headers });
  expect(again.status).toBe(304);
  expect((await fetch(`${service.url}/docs/guide`)).url).toBe(`${service.url}/docs/guide/`);
  expect((await fetch(`${service.url}/docs/guide/unknown`)).status).toBe(404);
});

const render = (text: string) => renderMarkdown(`# Title\n\n${text}`, (target) => (target === 'gone' ? null : target));
const bodyOf = (text: string) => render(text).body.text.replace('<h1 id="title">Title</h1>\n', '');

test('links to what the guide does not have become text, and headings have the anchors that they have on GitHub', () => {
  expect(bodyOf('[a `link`](x#y) and [text](gone)\n')).toBe('<p><a href="x#y">a <code>link</code></a> and text</p>\n');
  expect(bodyOf('## A *b*, `c`!\n\n## A b c\n')).toBe(
    '<h2 id="a-b-c">A <em>b</em>, <code>c</code>!</h2>\n<h2 id="a-b-c-1">A b c</h2>\n',
  );
});

test('HTML of its own, which GitHub would show otherwise, ends the build', () => {
  expect(() => render('Run `a` for <name>.')).toThrow('HTML is not supported: <name>');
});
