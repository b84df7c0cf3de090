// An HTML template tag that escapes the values put into it.

/** HTML that is safe to send: made by `html`, or from fixed text. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template takes: text, which is escaped, and HTML, which is not. */
type Part = string | Html | readonly Html[];

/** Writes HTML. Values go between tags and into quoted attributes, and can break out of neither. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(fixed.map((text, index) => text + textOf(parts[index] ?? '')).join(''));
}

function textOf(part: Part): string {
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return part instanceof Html ? part.text : part.map(({ text }) => text).join('');
}
