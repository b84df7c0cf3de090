// HTML as a template that escapes what is put into it.

/** HTML that is safe to send: made by `html`, or of fixed text. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template takes: text, which is escaped, and HTML, which is not. */
type Part = string | Html | readonly Html[];

/** Writes HTML. Values go between tags and into quoted attributes; there they can never end either. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(fixed.map((text, index) => text + textOf(parts[index] ?? '')).join(''));
}

function textOf(part: Part): string {
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return part instanceof Html ? part.text : part.map(({ text }) => text).join('');
}
