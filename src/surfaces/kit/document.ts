// What the pages have in common: the frame of an HTML document, colours, type, and the bar at the top.

import { Html, html } from './html.ts';

/**
 * Colours and type. Every colour has a light and a dark form, and `color-scheme` chooses between them; text has a
 * contrast of at least 4.5 to 1 on every background it stands on.
 */
export const look = `
:root {
  color-scheme: light dark;
  --page: light-dark(#ffffff, #0e0f11);
  --raised: light-dark(#f7f7f8, #16181b);
  --line: light-dark(#e2e3e7, #2a2d32);
  --control: light-dark(#8b8f98, #6a6f79);
  --text: light-dark(#17181c, #edeef0);
  --muted: light-dark(#5a5e68, #a0a5af);
  --accent: light-dark(#2456c9, #8ab4ff);
  --on-accent: light-dark(#ffffff, #0e0f11);
  --good: light-dark(#1a7a45, #55c98e);
  --bad: light-dark(#b8281f, #ff8f85);
  --caution: light-dark(#8a5a00, #e9b44c);
  --caution-back: light-dark(#fdf8ec, #1d1910);
  --sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
.bar {
  display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.5rem; box-sizing: border-box;
  min-height: 3.25rem; padding: .5rem 1.25rem;
  border-bottom: 1px solid var(--line); background: var(--page); color: var(--text); font: .875rem/1.4 var(--sans);
}
.bar a { color: var(--muted); text-decoration: none; }
.bar a:hover, .bar a[aria-current] { color: var(--text); }
.bar .brand { display: flex; align-items: center; gap: .5rem; color: var(--text); font-weight: 600; letter-spacing: -.01em; }
.bar .brand svg { width: 1.25rem; height: 1.25rem; color: var(--accent); }
.bar nav { display: flex; gap: 1.25rem; }
.bar :is(a, button, input):focus-visible, .skip:focus { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -100vw; z-index: 10; padding: .5rem .75rem; background: var(--page); color: var(--accent); font: .875rem var(--sans); }
.skip:focus { left: .5rem; top: .5rem; }
`;

// A gate within a gate.
const gate =
  '<path d="M3.5 21V11a8.5 8.5 0 0 1 17 0v10M8.75 21v-9.5a3.25 3.25 0 0 1 6.5 0V21" fill="none" stroke="currentColor" stroke-width="2.25" stroke-linecap="round"/>';
const mark = new Html(`<svg viewBox="0 0 24 24" aria-hidden="true">${gate}</svg>`);
const icon = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" color="#4f80ea">${gate}</svg>`,
)}`;

/** Writes an HTML document. `head` is what the page loads. */
export function writeDocument(title: string, head: Html, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${icon}">
${head}
</head>
<body>
${body}
</body>
</html>
`;
}

/** The pages that the bar links to, by path. */
const barPages = { '/graphql': 'GraphiQL', '/docs': 'REST reference' } as const;

/** Writes the bar. `current` is the path of the page that shows it, and `more` goes at its end. */
export function topBar(current: '/' | keyof typeof barPages, more: Html): Html {
  const links = Object.entries(barPages).map(([path, name]) =>
    path === current ? html`<a href="${path}" aria-current="page">${name}</a>` : html`<a href="${path}">${name}</a>`,
  );
  return html`<a class="skip" href="#content">Skip to content</a>
<header class="bar"><a class="brand" href="/">${mark}Sallyport</a><nav aria-label="Pages">${links}</nav>${more}</header>`;
}
