// The GraphiQL page. It holds all its parts, so that it works without internet.

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { NextFunction, Request, Response } from 'express';

const defaultQuery = `# Your API key goes into the Headers tab below: { "Authorization": "Bearer <API key>" }

query Overview {
  viewer {
    account { name }
  }
  ipPolicies(first: 10) {
    totalCount
    nodes { id description rules { cidr action } }
  }
}
`;

// The page runs its own inline script, and editors in workers made from it; it may talk to nobody but this server.
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline' blob:",
  "style-src 'self' 'unsafe-inline'",
  'worker-src blob:',
  'font-src data:',
  "img-src 'self' data:",
  "frame-ancestors 'none'",
].join('; ');

/** Creates the handler that gives browsers the page; it passes all other requests on. */
export function createGraphiQLPage() {
  let packed: Promise<Buffer> | undefined;
  return async (request: Request, response: Response, next: NextFunction) => {
    if (request.url.includes('?') || request.accepts('application/json', 'text/html') !== 'text/html') {
      next();
      return;
    }
    // Nine megabytes: written and packed once, when somebody first asks.
    packed ??= promisify(gzip)(
      renderGraphiQL({
        title: 'Sallyport GraphiQL',
        defaultQuery,
        headers: '{ "Authorization": "Bearer " }',
        isHeadersEditorEnabled: true,
        shouldPersistHeaders: false,
      }),
    );
    response.set({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Encoding': 'gzip',
      'Content-Security-Policy': contentSecurityPolicy,
    });
    response.end(await packed);
  };
}
