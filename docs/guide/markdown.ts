// Renders the Markdown of these pages, as GitHub shows it. What the guide does not show is an error of the build, not a guess.

import { Marked, Renderer, type Tokens } from 'marked';
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

/** Renders a page. Throws Error if it has no heading, or HTML of its own. */
export function renderMarkdown(text: string, resolve: Resolve): Rendered {
  const renderer = new GuideRenderer(resolve);
  const body = new Marked().parse(text, { renderer, async: false });
  if (renderer.title === undefined) throw new Error('A page begins with a heading.');
  return { title: renderer.title, body: new Html(body), anchors: renderer.anchors };
}

class GuideRenderer extends Renderer {
  /** The text of the first heading. */
  title: string | undefined;
  readonly anchors = new Set<string>();
  readonly #resolve: Resolve;

  constructor(resolve: Resolve) {
    super();
    this.#resolve = resolve;
  }

  override heading({ depth, tokens }: Tokens.Heading): string {
    const text = this.parser.parseInline(tokens, this.parser.textRenderer);
    this.title ??= text;
    const name = new Html(`h${depth}`);
    return html`<${name} id="${this.#anchorOf(text)}">${this.#inline(tokens)}</${name}>\n`.text;
  }

  /** Returns the anchor that GitHub gives a heading. */
  #anchorOf(heading: string): string {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; this.anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    this.anchors.add(anchor);
    return anchor;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const target = this.#resolve(href);
    const inner = this.#inline(tokens);
    return (target === null ? inner : html`<a href="${target}">${inner}</a>`).text;
  }

  // What may be wider than the page can be scrolled with the keyboard, and says what it is to who gets there without seeing it.

  override code({ text }: Tokens.Code): string {
    return html`<pre tabindex="0" role="group" aria-label="Code"><code>${text}</code></pre>\n`.text;
  }

  override table(token: Tokens.Table): string {
    const columns = token.header.map(({ text }) => text.replaceAll('`', '')).filter((text) => text !== '');
    const label = html`Table: ${columns.join(', ')}`.text;
    return `<div class="wide" tabindex="0" role="group" aria-label="${label}">${super.table(token)}</div>\n`;
  }

  override tablecell(token: Tokens.TableCell): string {
    return super.tablecell(token).replace(/^<th/, '<th scope="col"');
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    if (/^<!--.*-->\s*$/s.test(text)) return '';
    throw new Error(`HTML is not supported: ${text}`);
  }

  #inline(tokens: Tokens.Generic[]): Html {
    return new Html(this.parser.parseInline(tokens));
  }
}
