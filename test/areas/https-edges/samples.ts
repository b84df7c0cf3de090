// HTTPS edge samples for the tests that run over all areas.

import { type AreaSamples, collectionRoutes, moduleRoutes } from '../../support/samples.ts';
import type { Client } from '../../support/service.ts';

const routesPath = '/edges/https/{edge_id}/routes';

let lastMatch = 0;
/** One edge per account, to which the contract tests add their routes. */
const edges = new WeakMap<Client, Promise<string>>();

export const samples: AreaSamples = {
  routes: [
    ...collectionRoutes('/edges/https'),
    ...collectionRoutes(routesPath),
    ...moduleRoutes(`${routesPath}/{id}/saml`),
    ...['GET', 'PUT'].map((method) => `${method} ${routesPath}/{id}/saml/keys`),
    ...moduleRoutes(`${routesPath}/{id}/oidc`),
    ...moduleRoutes(`${routesPath}/{id}/ip_restriction`),
    ...moduleRoutes(`${routesPath}/{id}/backend`),
  ],
  bodies: {
    'POST /edges/https': () => ({ hostports: ['intranet.example.com:443'] }),
    'PATCH /edges/https/{id}': () => ({ description: 'The intranet' }),
    [`POST ${routesPath}`]: () => ({ match_type: 'path_prefix', match: '/' }),
    [`PATCH ${routesPath}/{id}`]: () => ({ description: 'Everything' }),
    [`PUT ${routesPath}/{id}/saml`]: () => ({
      idp_metadata:
        '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com"/>',
      authorized_groups: ['staff'],
    }),
    [`PUT ${routesPath}/{id}/saml/keys`]: () => ({ step: 'announce' }),
    [`PUT ${routesPath}/{id}/oidc`]: () => ({
      issuer: 'https://idp.example.com',
      client_id: 'sallyport',
      client_secret: 'a secret',
    }),
    [`PUT ${routesPath}/{id}/ip_restriction`]: (id) => ({ mode: 'suffice', ip_policy_ids: [id('/ip_policies')] }),
    [`PUT ${routesPath}/{id}/backend`]: (id) => ({ backend_id: id('/backends/tunnel_group') }),
  },
  // A route has one login module at most.
  apart: [`${routesPath}/{id}/oidc`],
  unique: { match: (count) => `/path${count}` },
  collections: [
    {
      path: '/edges/https',
      listField: 'https_edges',
      connection: 'httpsEdges',
      required: async () => ({}),
      createFields: 'hostports, signs_identity, forwards_keys, description, metadata',
      updateFields: 'hostports, signs_identity, forwards_keys, description, metadata',
      objectsAtStart: 0,
    },
    {
      path: routesPath,
      async placeOf(client) {
        const edge = edges.get(client) ?? client.rest('POST', '/edges/https', {}).then(({ body }) => String(body.id));
        edges.set(client, edge);
        return `/edges/https/${await edge}/routes`;
      },
      listField: 'routes',
      connection: 'httpsEdgeRoutes',
      connectionArgument: (place) => `edgeId: "${place.split('/')[3]}"`,
      async required() {
        lastMatch += 1;
        return { match_type: 'exact_path', match: `/${lastMatch}` };
      },
      createFields: 'match_type, match, ip_restriction, backend, description, metadata',
      updateFields: 'match_type, match, ip_restriction, backend, description, metadata',
      objectsAtStart: 0,
    },
  ],
};
