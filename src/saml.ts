// The public metadata of service providers: one path beside the two surfaces, for identity providers, which have no key.
// It asks GraphQL nothing, because everything there acts for an account.

import { createHash } from 'node:crypto';
import express, { type Request, type Router } from 'express';
import { notFound, SallyportError } from './domain/errors.ts';
import { serviceProviderUrls, writeServiceProviderMetadata } from './domain/saml/service-provider.ts';
import type { Reply } from './rest/request.ts';
import type { FindServiceProvider } from './storage/service-providers.ts';

/** SAML metadata 2.0, appendix A. */
const mediaType = 'application/samlmetadata+xml; charset=utf-8';
const allowedMethods = 'HEAD, GET, OPTIONS';

/** Creates the router of `GET /saml/{route_id}`. Its handlers throw coded errors. */
export function createSamlRouter(findServiceProvider: FindServiceProvider): Router {
  const router = express.Router({ caseSensitive: true });
  const path = '/saml/:routeId';

  router.get(path, async (request: Request<{ routeId: string }>, reply: Reply) => {
    const { routeId } = request.params;
    const provider = await findServiceProvider(routeId);
    if (provider === null) throw notFound();
    const xml = writeServiceProviderMetadata(serviceProviderUrls(reply.locals.info.baseUrl, routeId), provider);
    // Express answers 304 by itself to whoever has this one already.
    reply.set({ 'Content-Type': mediaType, ETag: `"${createHash('sha256').update(xml).digest('base64url')}"` });
    reply.send(Buffer.from(xml));
  });

  router.all(path, ({ method }: Request, reply: Reply) => {
    reply.set('Allow', allowedMethods);
    if (method !== 'OPTIONS') {
      throw new SallyportError('METHOD_NOT_ALLOWED', `This path has no ${method}. It has ${allowedMethods}.`);
    }
    reply.status(204).end();
  });
  return router;
}
