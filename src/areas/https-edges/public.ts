// What identity providers read without an API key: the SAML metadata of routes.

import { notFound } from '../../domain/errors.ts';
import { serviceProviderUrls, writeServiceProviderMetadata } from '../../domain/saml/service-provider.ts';
import type { PublicFile } from '../../surfaces/public-files.ts';
import { readServiceProvider } from './public-store.ts';

export const publicFiles: readonly PublicFile[] = [
  {
    path: '/saml/{route_id}',
    operationId: 'GetSamlServiceProviderMetadata',
    summary: 'The SAML metadata of a route, for its identity provider',
    description:
      'The metadata of the service provider, with the certificates of the key that signs its requests and of the key that assertions ' +
      'may be encrypted for. No API key is needed.',
    // SAML metadata 2.0, appendix A.
    mediaType: 'application/samlmetadata+xml; charset=utf-8',
    parameters: { route_id: 'Identifier of the route of an HTTPS edge that has a SAML module.' },
    createReader:
      (database) =>
      async ({ route_id: routeId = '' }, baseUrl) => {
        const provider = await readServiceProvider(database, routeId);
        if (provider === null) throw notFound();
        return Buffer.from(writeServiceProviderMetadata(serviceProviderUrls(baseUrl, routeId), provider));
      },
  },
];
