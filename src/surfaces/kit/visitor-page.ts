// The pages for a person whose request is refused, who has logged out, or who is on the way to the identity provider. They say
// nothing about what lies behind: whoever comes from a refused network is told so, whether or not there is something.

import type { Outgoing } from '../../domain/saml/written-messages.ts';
import { Html, html } from './html.ts';
import { hashSource } from './protection.ts';

const style = `
:root { color-scheme: light dark; }
body { display: grid; min-height: 100vh; margin: 0; place-items: center; background: light-dark(#ffffff, #0e0f11); color: light-dark(#17181c, #edeef0); font: 1rem/1.6 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 32rem; padding: 1.5rem; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.02em; }
p { margin: .75rem 0 0; }
a { color: light-dark(#0b57d0, #8ab4f8); }
.reference { color: light-dark(#5a5e68, #a0a5af); font-size: .875rem; overflow-wrap: anywhere; }
`;
const script = 'document.forms[0].submit();';

const policy = `default-src 'none'; style-src ${hashSource(style)}; base-uri 'none'`;
const common = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' } as const;

/** The headers of a refusal: it loads nothing, runs nothing, and may not be framed. */
export const refusalHeaders = {
  'Content-Security-Policy': `${policy}; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
} as const;

/** The headers of a page about a logout, which identity providers show in frames. */
export const framedHeaders = { 'Content-Security-Policy': `${policy}; form-action 'none'`, ...common } as const;

/**
 * The headers of a page that posts a message. Its form may go anywhere: browsers apply that rule to all redirects that follow, and
 * identity providers redirect to other hosts of theirs.
 */
export const formHeaders = {
  'Content-Security-Policy': `${policy}; script-src ${hashSource(script)}`,
  ...common,
} as const;

export const refusalText = {
  refused:
    'You do not have access to this page. If you should, tell the administrator of this site the reference below.',
  address:
    'This site is not open to the network that you come from. Connect to one that it is open to, and try again; or tell the ' +
    'administrator of this site the reference below.',
  unknown:
    'There is nothing at this address. Check it; if it is right, tell the administrator of this site the reference below: ' +
    'under it, the log names the host or path that has to be added.',
  login: 'Your login has taken too long, is complete already, or began in another browser.',
  logout: 'Another site has sent you here to log you out. If you want that, use the link.',
  ended:
    'You are not logged in, or your session has ended. What you have sent has not arrived: log in, and send it again.',
  failed: 'Your access cannot be checked at the moment. Try again in a few minutes.',
} as const;

export interface PageLink {
  readonly href: string;
  readonly text: string;
}

/**
 * Writes the page of a refusal.
 *
 * @param reference the id of the request, under which the log says why
 */
export function writeRefusalPage(text: string, reference: string, link: PageLink | null = null): string {
  return writePage('Access denied', text, reference, link);
}

/** Writes a page with a text, what leads on, and a reference. */
export function writePage(title: string, text: string, reference: string, link: PageLink | null = null): string {
  const on = link === null ? '' : html`<p><a href="${link.href}">${link.text}</a></p>\n`;
  return page(
    title,
    html`<p>${text}</p>
${on}<p class="reference">Reference: ${reference}</p>`,
  );
}

/** Writes a page that leads on by itself, at once. */
export function writeRefreshingPage(title: string, { href, text }: PageLink): string {
  return page(
    title,
    html`<p><a href="${href}">${text}</a></p>`,
    html`<meta http-equiv="refresh" content="0; url=${href}">\n`,
  );
}

/** Writes the page that posts a message to an identity provider: by itself, or with a button where scripts do not run. */
export function writeFormPage({ location, fields }: Extract<Outgoing, { binding: 'post' }>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
  );
  return page(
    'One moment',
    html`<p>You are being sent to the identity provider.</p>
<form method="post" action="${location}">
${inputs}<noscript><p><button type="submit">Continue</button></p></noscript>
</form>
<script>${new Html(script)}</script>`,
  );
}

function page(title: string, content: Html, head: Html = new Html('')): string {
  return html`<!doctype html>
<html lang="en" translate="no">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${head}<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text;
}

/** Says that a login will not end at the page that was wanted, before it begins. */
export function targetLost(href: string): { readonly title: string; readonly text: string; readonly link: PageLink } {
  return {
    title: 'A long address',
    text:
      'The address of the page that you wanted to see is too long to be kept during the login. Afterwards you will be at the ' +
      'beginning of the application: go back to the page from there.',
    link: { href, text: 'Log in' },
  };
}
