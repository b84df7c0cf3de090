// The page that a person sees whose request is refused. It says nothing about what lies behind.

import { createHash } from 'node:crypto';
import { Html, html } from '../http/pages/html.ts';

const style = `
:root { color-scheme: light dark; }
body { display: grid; min-height: 100vh; margin: 0; place-items: center; background: light-dark(#ffffff, #0e0f11); color: light-dark(#17181c, #edeef0); font: 1rem/1.6 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 32rem; padding: 1.5rem; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.02em; }
p { margin: .75rem 0 0; }
.reference { color: light-dark(#5a5e68, #a0a5af); font-size: .875rem; overflow-wrap: anywhere; }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** The headers of the page: it loads nothing, runs nothing, and stands in no frame. */
export const refusalHeaders = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
} as const;

/** What visitors are told. */
export const refusalText = {
  refused:
    'You do not have access to this page. If you should, tell the administrator of this site the reference below.',
  login: 'Your login has taken too long, or began in another browser. Go back to the page that you wanted to see.',
  failed: 'Your access cannot be checked at the moment. Try again in a few minutes.',
} as const;

/**
 * Writes the page.
 *
 * @param reference the id of the request, under which the log says why
 */
export function writeRefusalPage(text: string, reference: string): string {
  return html`<!doctype html>
<html lang="en" translate="no">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Access denied</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
<h1>Access denied</h1>
<p>${text}</p>
<p class="reference">Reference: ${reference}</p>
</main>
</body>
</html>
`.text;
}
