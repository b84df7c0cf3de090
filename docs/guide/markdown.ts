// Renders the Markdown of these pages: the parts of GitHub's that they use. Anything else is an error of the build, not a guess.

import { Html, html } from '../../src/surfaces/kit/html.ts';

/** A rendered page. */
export interface Rendered {
  readonly title: string;
  readonly body: Html;
  /** The anchors of its headings. */
  readonly anchors: ReadonlySet<string>;
}

/** Returns the address of a link's target as the page serves it; null for what is not served, which stays text. */
export type Resolve = (target: string) => string | null;

/** Renders a page. Throws Error if it uses what is not supported. */
export function renderMarkdown(text: string, resolve: Resolve): Rendered {
  const anchors = new Map<string, number>();
  const anchorOf = (heading: string) => {
    const anchor = slugOf(heading);
    const count = anchors.get(anchor) ?? 0;
    anchors.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  };
  const lines = text.replace(/<!--.*?-->\n/gs, '').split('\n');
  const body = blocks(lines, { inline: (source) => inline(source, resolve), anchorOf });
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (title === undefined) throw new Error('A page begins with a heading.');
  return { title: plain(title), body, anchors: new Set(anchors.keys()) };
}

/** What the blocks of a page share. */
interface Page {
  readonly inline: (source: string) => Html;
  readonly anchorOf: (heading: string) => string;
}

const fence = /^```(\w*)/;
const heading = /^(#{1,4}) (.+)$/;
const item = /^(-|\d+\.) +/;
const picture = /^!\[([^\]]*)\]\(([^)]+)\)$/;

/** Renders blocks, one after the other. */
function blocks(lines: readonly string[], page: Page): Html {
  const rendered: Html[] = [];
  let at = 0;
  const takeWhile = (goesOn: (line: string, index: number) => boolean) => {
    const begin = at;
    while (at < lines.length && goesOn(lines[at] ?? '', at - begin)) at += 1;
    return lines.slice(begin, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const [, level, title = ''] = heading.exec(line) ?? [];
    if (line.trim() === '') at += 1;
    else if (fence.test(line)) {
      at += 1;
      const code = takeWhile((each) => each !== '```');
      if (at === lines.length) throw new Error(`A block of code has no end: ${code[0]}`);
      at += 1;
      rendered.push(html`<pre tabindex="0"><code>${code.join('\n')}</code></pre>\n`);
    } else if (level !== undefined) {
      at += 1;
      const name = new Html(`h${level.length}`);
      rendered.push(html`<${name} id="${page.anchorOf(plain(title))}">${page.inline(title)}</${name}>\n`);
    } else if (line.startsWith('|'))
      rendered.push(
        table(
          takeWhile((each) => each.startsWith('|')),
          page,
        ),
      );
    else if (item.test(line))
      rendered.push(
        list(
          takeWhile((each, index) => index === 0 || isOfList(lines, at, each)),
          page,
        ),
      );
    else
      rendered.push(
        paragraph(
          takeWhile((each, index) => index === 0 || isOfParagraph(each)),
          page,
        ),
      );
  }
  return new Html(rendered.map(({ text }) => text).join(''));
}

const isOfParagraph = (line: string) =>
  line.trim() !== '' && !fence.test(line) && !heading.test(line) && !/^(\||- )/.test(line);

/** Returns whether a line belongs to the list before it: it is an item, indented, or empty and followed by such a line. */
function isOfList(lines: readonly string[], at: number, line: string): boolean {
  if (line !== '') return item.test(line) || /^ {2}/.test(line);
  const next = lines.slice(at).find((each) => each !== '');
  return next !== undefined && (item.test(next) || /^ {2}/.test(next));
}

function list(lines: readonly string[], page: Page): Html {
  const items: string[][] = [];
  for (const line of lines) {
    const marker = item.exec(line)?.[0];
    const last = items.at(-1);
    if (marker !== undefined) items.push([line.slice(marker.length)]);
    else last?.push(line.replace(/^ {1,3}/, ''));
  }
  const name = new Html(/^\d/.test(lines[0] ?? '') ? 'ol' : 'ul');
  const isLoose = lines.includes('');
  const rendered = items.map((content) => {
    const inner = blocks(content, page);
    return html`<li>${isLoose ? inner : new Html(inner.text.replace(/^<p>(.*?)<\/p>\n/s, '$1'))}</li>\n`;
  });
  return html`<${name}>\n${rendered}</${name}>\n`;
}

function table(lines: readonly string[], { inline: cell }: Page): Html {
  const [head = [], , ...rows] = lines.map((line) =>
    line
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((text) => text.trim().replaceAll('\\|', '|')),
  );
  const row = (cells: readonly string[], open: Html, close: Html) =>
    html`<tr>${cells.map((text) => html`${open}${cell(text)}${close}`)}</tr>\n`;
  const body = rows.map((cells) => row(cells, html`<td>`, html`</td>`));
  return html`<div class="wide" tabindex="0"><table>
<thead>${row(head, html`<th scope="col">`, html`</th>`)}</thead>
<tbody>${body}</tbody>
</table></div>\n`;
}

function paragraph(lines: readonly string[], page: Page): Html {
  const text = lines.map((line) => line.trim()).join('\n');
  const [, title, file] = picture.exec(text) ?? [];
  if (title !== undefined && file !== undefined) return html`<p><img src="${file}" alt="${title}"></p>\n`;
  if (/^(>|={3,}|-{3,}|<)/.test(text)) throw new Error(`This kind of block is not supported: ${text}`);
  return html`<p>${page.inline(text)}</p>\n`;
}

/** Code, links, strong and emphasized text, and what a backslash makes plain. */
const parts = /(`+)(.+?)\1|\[((?:`[^`]*`|[^\]])+)\]\(([^)\s]+)\)|\*\*(.+?)\*\*|\*(\S.*?)\*|\\([\\`*_[\]<>|#])/gs;

function inline(source: string, resolve: Resolve): Html {
  const rendered: Html[] = [];
  let end = 0;
  for (const match of source.matchAll(parts)) {
    const [whole, , code, label, target, strong, emphasis, escaped] = match;
    rendered.push(html`${source.slice(end, match.index)}`);
    end = match.index + whole.length;
    if (code !== undefined) rendered.push(html`<code>${code}</code>`);
    else if (label !== undefined && target !== undefined) {
      const href = resolve(target);
      const inner = inline(label, resolve);
      rendered.push(href === null ? inner : html`<a href="${href}">${inner}</a>`);
    } else if (strong !== undefined) rendered.push(html`<strong>${inline(strong, resolve)}</strong>`);
    else if (emphasis !== undefined) rendered.push(html`<em>${inline(emphasis, resolve)}</em>`);
    else rendered.push(html`${escaped ?? ''}`);
  }
  rendered.push(html`${source.slice(end)}`);
  return new Html(rendered.map(({ text }) => text).join(''));
}

/** Returns the text of a heading without its marks. */
const plain = (source: string): string => source.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replace(/[`*]/g, '');

/** Returns the anchor that GitHub gives a heading. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
