// The page at `/start`: what Sallyport is, and where everything else is.

import { areas } from '../../areas/areas.ts';
import { remedies } from '../../domain/remedies.ts';
import { serviceVersion } from '../../pipeline/request.ts';
import { look, topBar, writeDocument } from '../kit/document.ts';
import { Html, html } from '../kit/html.ts';
import { type ContentSecurityPolicy, hashSource } from '../kit/protection.ts';
import { startScript } from './start-script.ts';

/** Where people and programs find things. The keys are the names in the JSON answer. */
export const entrances = {
  graphql: {
    path: '/graphql',
    title: 'GraphiQL',
    text: 'Explore the GraphQL schema and run queries.',
  },
  docs: {
    path: '/docs',
    title: 'REST reference',
    text: 'Every route with its fields and errors. Try calls from the page.',
  },
  openapi: {
    path: '/openapi.json',
    title: 'OpenAPI description',
    text: 'OpenAPI 3.1, to generate REST clients from.',
  },
  schema: {
    path: '/schema.graphql',
    title: 'GraphQL schema',
    text: 'SDL, to generate GraphQL types from.',
  },
  configuration: {
    path: '/schema.json',
    title: 'Configuration schema',
    text: 'JSON Schema, by which editors complete documents of the configuration.',
  },
} as const;

const about =
  'Self-hosted API for controlling network ingress: IP policies, SSH host certificates, and the login, TLS and backend settings of edges.';

const style = `${look}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.6 var(--sans); -webkit-text-size-adjust: 100%; }
main, footer { max-width: 54rem; margin: 0 auto; padding: 0 1.25rem; }
main { padding-top: clamp(2.5rem, 7vw, 5rem); }
a { color: var(--accent); text-underline-offset: .2em; }
:is(a, button, pre):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
h1 { margin: 0; font-size: clamp(1.875rem, 5vw, 2.375rem); line-height: 1.15; letter-spacing: -.03em; font-weight: 650; text-wrap: balance; }
.lede { margin: .875rem 0 0; color: var(--muted); font-size: 1.0625rem; text-wrap: pretty; }
h2 { margin: 3.5rem 0 0; font-size: 1.125rem; line-height: 1.4; letter-spacing: -.01em; font-weight: 600; }
h2 + p { max-width: 44rem; margin: .25rem 0 0; color: var(--muted); }
code { font: .875em var(--mono); }
p code { white-space: nowrap; padding: .1em .35em; border-radius: 4px; background: var(--raised); color: var(--text); }
.status { display: flex; align-items: center; gap: .5rem; margin: 0 0 0 auto; color: var(--muted); }
.status::before { content: ""; width: .5rem; height: .5rem; border-radius: 50%; background: var(--control); }
.status.ready::before { background: var(--good); }
.status.failing::before { background: var(--bad); }
.notice { margin: 2rem 0 0; padding: .875rem 1rem; border: 1px solid color-mix(in srgb, var(--caution) 35%, transparent); border-radius: 8px; background: var(--caution-back); font-size: .9375rem; }
.notice strong { color: var(--caution); font-weight: 600; }
.entrances { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: .75rem; margin: 1rem 0 0; padding: 0; list-style: none; }
.entrances a { display: block; height: 100%; padding: .875rem 1rem 1rem; border: 1px solid var(--line); border-radius: 8px; color: inherit; text-decoration: none; transition: border-color .12s, background-color .12s; }
.entrances a:hover { border-color: var(--control); background: var(--raised); }
.entrances a:focus-visible { border-radius: 8px; }
.entrances b { font-weight: 600; }
.entrances code { float: right; color: var(--muted); font-size: .8125rem; line-height: 1.9; }
.entrances span { display: block; color: var(--muted); font-size: .9375rem; line-height: 1.5; }
.call { margin: 1rem 0 0; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
.call figcaption { display: flex; align-items: center; justify-content: space-between; min-height: 2.5rem; padding: 0 .5rem 0 1rem; border-bottom: 1px solid var(--line); color: var(--muted); font-size: .875rem; }
.call button { min-width: 4.5rem; padding: .25rem .5rem; border: 0; border-radius: 6px; background: none; color: var(--muted); font: inherit; text-align: right; cursor: pointer; }
.call button:hover { color: var(--accent); }
.call pre { margin: 0; padding: .875rem 1rem; overflow-x: auto; background: var(--raised); font: .8125rem/1.7 var(--mono); tab-size: 2; }
.call pre:focus-visible { outline-offset: -2px; }
.call pre code { font: inherit; }
footer { margin-top: 4rem; padding-top: 1.25rem; padding-bottom: 2.5rem; color: var(--muted); font-size: .875rem; }
footer a { color: inherit; }
@media (max-width: 30rem) { .bar nav { order: 1; flex-basis: 100%; } }
@media (prefers-reduced-motion: reduce) { .entrances a { transition: none; } }
`;

/** What the page loads: its own style and script, and the readiness probe. */
export const startPagePolicy: ContentSecurityPolicy = {
  'default-src': ["'none'"],
  'style-src': [hashSource(style)],
  'script-src': [hashSource(startScript)],
  'connect-src': ["'self'"],
  'img-src': ['data:'],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

// Nothing else stands between the tags, so that the text is exactly what the policy allows.
const styleTag = new Html(`<style>${style}</style>`);
const scriptTag = new Html(`<script>${startScript}</script>`);

const status = html`<p class="status" id="status" role="status"></p>`;

/** Writes text whose names of values are in backticks. */
function withCode(text: string): readonly Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** Writes the page. `baseUrl` and `versionHeader` go into the calls to paste. */
export function startPage(baseUrl: string, versionHeader: string): Html {
  const links = Object.values(entrances).map(
    ({ path, title, text }) =>
      html`<li><a href="${path}"><code>${path}</code><b>${title}</b><span>${text}</span></a></li>\n`,
  );
  return writeDocument(
    'Sallyport',
    styleTag,
    html`${topBar('/', status)}
<main id="content">
<h1>Self-hosted API for network ingress</h1>
<p class="lede">Sallyport keeps IP policies and restrictions, signs SSH host certificates, guards your applications with HTTPS edges
and logins by SAML and OpenID Connect, and stores the TLS and backend settings of your edges. GraphQL and REST serve the same objects.</p>
<p class="notice"><strong>What is enforced.</strong> ${withCode(areas.flatMap(({ enforced = [] }) => enforced).join(' '))} Not
enforced: ${withCode(areas.flatMap(({ notEnforced = [] }) => notEnforced).join(', '))}.</p>
<h2>Explore</h2>
<p>No API key needed to read any of these.</p>
<ul class="entrances">
${links}</ul>
<h2>Your first calls</h2>
<p>Every call needs an API key. The first start of the server prints one; <code>${remedies.createKey()}</code> makes more.
Set it as <code>API_KEY</code> in your shell.</p>
${call(
  'REST',
  `curl ${baseUrl}/ip_policies \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "${versionHeader}: ${serviceVersion}"`,
)}
${call(
  'GraphQL',
  `curl ${baseUrl}/graphql \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"query": "{ ipPolicies { nodes { id description } } }"}'`,
)}
</main>
<footer>Probes: <a href="/healthz">/healthz</a> tells whether the process is alive, <a href="/readyz">/readyz</a> whether it
is ready for requests.</footer>
${scriptTag}`,
  );
}

/** Writes a call to copy. Its text can be scrolled with the keyboard. */
function call(surface: string, text: string): Html {
  return html`<figure class="call">
<figcaption>${surface}<button type="button" aria-label="Copy the ${surface} call" hidden>Copy</button></figcaption>
<pre tabindex="0" role="region" aria-label="${surface} call"><code>${text}</code></pre>
</figure>`;
}

/** Returns the same for programs. */
export function startDocument(baseUrl: string): object {
  const links = Object.entries(entrances).map(([name, { path }]) => [name, `${baseUrl}${path}`]);
  return { name: 'Sallyport', about, links: Object.fromEntries(links) };
}
