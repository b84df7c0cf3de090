// Renders the pages of `docs` into `dist/guide`, which the server serves at `/docs/guide/`. `npm run build` runs it.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { topBar, writeDocument } from '../../src/surfaces/kit/document.ts';
import { type Html, html } from '../../src/surfaces/kit/html.ts';
import { type Rendered, renderMarkdown } from './markdown.ts';
import { guideStyle } from './style.ts';

const from = join(import.meta.dirname, '..');
const into = join(from, '..', 'dist', 'guide');

/** Returns the name under which a page is served, relative to the guide: that of its file without its ending. */
const nameOf = (path: string) => path.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, '');

/** Renders all pages, by their names. Throws Error, with the name of the page, if one cannot be rendered. */
export function renderGuide(): ReadonlyMap<string, Rendered> {
  const files = ['.', 'decisions'].flatMap((directory) =>
    readdirSync(join(from, directory))
      .filter((file) => file.endsWith('.md'))
      .map((file) => posix.join(directory, file)),
  );
  const names = new Set(files.map(nameOf));
  return new Map(
    files.map((file) => {
      const resolve = (target: string) => {
        if (/^https?:/.test(target) || target.startsWith('#')) return target;
        const [path = '', anchor] = target.split('#');
        const name = nameOf(posix.join(dirname(file), path));
        // Files of the repository that are no pages are not served.
        if (!names.has(name)) return null;
        const way = posix.relative(dirname(file), name).replace(/(^|\/)index$/, '$1') || './';
        return `${way}${anchor === undefined ? '' : `#${anchor}`}`;
      };
      try {
        return [nameOf(file), renderMarkdown(readFileSync(join(from, file), 'utf8'), resolve)];
      } catch (error) {
        throw new Error(`docs/${file} cannot be rendered`, { cause: error });
      }
    }),
  );
}

/** Writes a page. `up` leads from it to the guide. */
function pageOf(title: string, up: string, body: Html): string {
  const head = html`<link rel="stylesheet" href="${up}guide.css">`;
  const above = html`<nav aria-label="Guide"><a href="${up}./">All pages</a></nav>`;
  return writeDocument(
    `${title} · Sallyport`,
    head,
    html`${topBar('/', html``)}\n<main id="content">\n${above}\n${body}</main>`,
  ).text;
}

function build(): void {
  const pages = renderGuide();
  rmSync(into, { recursive: true, force: true });
  mkdirSync(join(into, 'decisions'), { recursive: true });
  for (const [name, { title, body }] of pages) {
    writeFileSync(join(into, `${name}.html`), pageOf(title, name.includes('/') ? '../' : '', body));
  }
  const links = [...pages]
    .filter(([name]) => !name.includes('/'))
    .sort(([, one], [, other]) => (one.title < other.title ? -1 : 1))
    .map(([name, { title }]) => html`<li><a href="${name}">${title}</a></li>\n`);
  writeFileSync(
    join(into, 'index.html'),
    pageOf('Guide', '', html`<h1>Guide</h1>\n<ul>\n${links}<li><a href="decisions/">Decisions</a></li>\n</ul>\n`),
  );
  writeFileSync(join(into, 'guide.css'), guideStyle);
  mkdirSync(join(into, 'screenshots'));
  for (const directory of ['.', 'screenshots']) {
    for (const file of readdirSync(join(from, directory)).filter((name) => /\.(png|svg)$/.test(name))) {
      copyFileSync(join(from, directory, file), join(into, directory, file));
    }
  }
}

if (process.argv[1] === import.meta.filename) build();
