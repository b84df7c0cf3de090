// The reference of the REST surface: Swagger UI, which reads our own description. All its parts come from this server.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { serviceVersion } from '../request.ts';
import { html } from './html.ts';
import type { ContentSecurityPolicy } from './protection.ts';

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

/** The page. */
export const referencePage = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sallyport REST reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<script src="/docs/swagger-ui-bundle.js" defer></script>
<script src="/docs/start.js" defer></script>
</head>
<body>
<noscript>This page needs JavaScript. The description it shows is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<main id="reference"></main>
</body>
</html>
`;

// A validator of Swagger's own would be asked over the internet, and would get to know the address of this server. The version
// is sent with every call; people only enter their key.
const startScript = `const ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: () => ui.preauthorizeApiKey('version', '${serviceVersion}'),
});
`;

/** The parts of the page, by their names below its path. */
export const referenceParts: Readonly<Record<string, { type: string; read: () => Promise<string | Buffer> }>> = {
  'start.js': { type: 'text/javascript', read: async () => startScript },
  'swagger-ui-bundle.js': {
    type: 'text/javascript',
    read: () => readFile(resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  },
  'swagger-ui.css': { type: 'text/css', read: () => readFile(resolve('swagger-ui-dist/swagger-ui.css')) },
};
