// The REST reference: Swagger UI, which reads our own description. All its parts come from this server.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { serviceVersion } from '../../pipeline/request.ts';
import { look, topBar, writeDocument } from '../kit/document.ts';
import { html } from '../kit/html.ts';
import type { ContentSecurityPolicy } from '../kit/protection.ts';

const { resolve } = createRequire(import.meta.url);

/** What the page loads: its own parts, and the calls that are tried out. Swagger UI writes styles into the page. */
export const referencePagePolicy: ContentSecurityPolicy = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** The page. Swagger UI brings its own `main`. */
export const referencePage = writeDocument(
  'Sallyport REST reference',
  html`<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
<script src="/docs/swagger-ui-bundle.js" defer></script>
<script src="/docs/start.js" defer></script>`,
  html`${topBar('/docs', html``)}
<noscript>This page needs JavaScript. The description it shows is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<div id="content"></div>`,
);

// Swagger's own validator is off: it would be called over the internet, and would learn the address of this server. The version is
// sent with every call; people only enter their key.
const startScript = `const dark = matchMedia('(prefers-color-scheme: dark)');
const choose = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
choose();
dark.addEventListener('change', choose);
const ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#content',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: () => ui.preauthorizeApiKey('version', '${serviceVersion}'),
});
`;

// Swagger UI has its own dark colours, which the script above chooses; its backgrounds become those of our other pages. What is
// wider than a phone scrolls in place, and the column of links is hidden, because none of our answers has any.
const style = `${look}
body { margin: 0; background: var(--page); }
html.dark-mode, html.dark-mode .swagger-ui, html.dark-mode .swagger-ui .scheme-container { background: var(--page); }
.swagger-ui .info { margin: 2.5rem 0; max-width: 56rem; }
.swagger-ui .info li { line-height: 1.5; }
.swagger-ui .scheme-container { padding: 1.25rem 0; border: solid var(--line); border-width: 1px 0; box-shadow: none; }
.swagger-ui .response-col_links { display: none; }
.swagger-ui :is(.opblock-body, .models, .model-box, .responses-inner) { overflow-x: auto; }
.swagger-ui :is(pre, .microlight) { max-width: 100%; overflow-x: auto; }
@media (max-width: 48rem) {
  .swagger-ui .wrapper { padding: 0 1rem; }
  .swagger-ui .responses-inner { padding: 1rem; }
  .swagger-ui table.responses-table { table-layout: fixed; }
  .swagger-ui .response-col_status { width: 4rem; }
  .swagger-ui .parameters-col_description input { max-width: 100%; }
}
`;

/** The parts of the page, by their names below its path. */
export const referenceParts: Readonly<Record<string, { type: string; read: () => Promise<string | Buffer> }>> = {
  'start.js': { type: 'text/javascript', read: async () => startScript },
  'page.css': { type: 'text/css', read: async () => style },
  'swagger-ui-bundle.js': {
    type: 'text/javascript',
    read: () => readFile(resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  },
  'swagger-ui.css': { type: 'text/css', read: () => readFile(resolve('swagger-ui-dist/swagger-ui.css')) },
};
