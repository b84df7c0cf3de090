// The page at the root of the server: what this is, and where everything else is.

import { createHash } from 'node:crypto';
import { serviceVersion } from '../request.ts';
import { Html, html } from './html.ts';
import type { ContentSecurityPolicy } from './protection.ts';

/** What people and programs find where. The keys are the names in the JSON answer. */
export const entrances = {
  graphql: {
    path: '/graphql',
    title: 'GraphiQL',
    text: 'The GraphQL surface, with an editor for people. It works without internet.',
  },
  docs: {
    path: '/docs',
    title: 'REST reference',
    text: 'Every route with its fields and errors, to be tried out from the page.',
  },
  openapi: {
    path: '/openapi.json',
    title: 'openapi.json',
    text: 'The REST surface for programs, in OpenAPI 3.1.',
  },
  schema: {
    path: '/schema.graphql',
    title: 'schema.graphql',
    text: 'The GraphQL schema for programs.',
  },
} as const;

const about = 'Management API for the entrances of a network: IP policies, SSH host certificates and edge modules.';

const style = `
  :root { color-scheme: light dark; }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; }
  h1 { margin-bottom: 0; }
  dt { margin-top: 1rem; font-weight: 600; }
  dd { margin: 0; }
  pre { padding: 1rem; overflow-x: auto; border: 1px solid currentColor; border-radius: 0.5rem; }
`;

/** What the page loads: its own style, and nothing else. */
export const startPagePolicy: ContentSecurityPolicy = {
  'default-src': ["'none'"],
  'style-src': [`'sha256-${createHash('sha256').update(style).digest('base64')}'`],
  'img-src': ['data:'],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** Writes the page. `baseUrl` and `versionHeader` go into a call to paste. */
export function startPage(baseUrl: string, versionHeader: string): Html {
  const links = Object.values(entrances).map(
    ({ path, title, text }) => html`<dt><a href="${path}">${title}</a></dt><dd>${text}</dd>\n`,
  );
  // The style stands alone between its tags, so that its text is exactly what the policy allows.
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sallyport</title>
<link rel="icon" href="data:,">
${styleTag}
</head>
<body>
<h1>Sallyport</h1>
<p>${about}</p>
<dl>
${links}</dl>
<h2>The first call</h2>
<p>Every request carries an API key. The first start of the server printed one; the command line and the API make more.</p>
<pre>curl ${baseUrl}/ip_policies \\
  -H "Authorization: Bearer $API_KEY" -H "${versionHeader}: ${serviceVersion}"</pre>
</body>
</html>
`;
}

const styleTag = new Html(`<style>${style}</style>`);

/** Tells programs the same. */
export function startDocument(baseUrl: string): object {
  const links = Object.entries(entrances).map(([name, { path }]) => [name, `${baseUrl}${path}`]);
  return { name: 'Sallyport', about, links: Object.fromEntries(links) };
}
