// The GraphiQL page. It holds all its parts, so that it works without internet.

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { NextFunction, Request, Response } from 'express';
import { createPageProtection } from './pages/protection.ts';
import { send } from './send.ts';

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
const contentSecurityPolicy = {
  'default-src': ["'self'"],
  'script-src': ["'self'", "'unsafe-inline'", 'blob:'],
  'style-src': ["'self'", "'unsafe-inline'"],
  'worker-src': ['blob:'],
  'font-src': ['data:'],
  'img-src': ["'self'", 'data:'],
  'frame-ancestors': ["'none'"],
};

/** Creates the handler that gives browsers the page; it passes all other requests on. `isSecure` as for other pages. */
export function createGraphiQLPage(isSecure: boolean) {
  const protect = createPageProtection(contentSecurityPolicy, isSecure);
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
    const page = await packed;
    await protect(request, response);
    response.set({ 'Content-Encoding': 'gzip', Vary: 'Accept' });
    send(response, 200, 'text/html; charset=utf-8', page);
  };
}
