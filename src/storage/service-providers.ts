// What everybody may read of a SAML module: the one look-up of an area's data that is not bound to an account, because
// identity providers read the metadata of a service provider without a key. It gives nothing but what is in them.

import { isIdOf } from '../domain/ids.ts';
import type { ServiceProvider } from '../domain/saml/service-provider.ts';
import { translate } from './errors.ts';
import type { PrismaClient } from './generated/client/client.ts';

/** Finds the service provider of a route, of whatever account; null when there is no such route, or none on it. */
export type FindServiceProvider = (routeId: string) => Promise<ServiceProvider | null>;

/** Creates the look-up. */
export function createFindServiceProvider(client: PrismaClient): FindServiceProvider {
  return async (routeId) => {
    if (!isIdOf('HttpsEdgeRoute', routeId)) return null;
    return client.samlModule
      .findUnique({ where: { routeId }, select: { certificatePem: true, nameidFormat: true } })
      .catch((error: unknown) => Promise.reject(translate(error)));
  };
}
