// Ready-to-copy configurations of a proxy in front of an HTTPS edge, in GraphQL.

import { invalid } from '../../domain/errors.ts';
import { type GateProxy, type ProxyFile, proxyFiles, serviceAt } from '../../domain/gate/proxy-configuration.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { checkServerAddress } from '../../domain/values/server-address.ts';
import { builder } from '../../graphql/kit/builder.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import { proxyConfigurationCost } from '../../load/limits.ts';
import { type Destinations, leadingTo, readDestinations, readTemplates } from './proxy-store.ts';

const GateProxyType = enumOf<GateProxy>('GateProxy', 'A reverse proxy that can ask the gate about each request.', {
  nginx: 'nginx 1.22 or later.',
  caddy: 'Caddy 2.6 or later.',
  haproxy: 'HAProxy 2.6 or later.',
  traefik: 'Traefik 3.',
  envoy: 'Envoy 1.25 or later.',
});

const ProxyConfigurationFile = builder.objectRef<ProxyFile>('ProxyConfigurationFile').implement({
  description: 'A file of the configuration of a proxy.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the file.' }),
    text: t.exposeString('text', { complexity: 20, description: 'Its content.' }),
  }),
});

const applicationDefault = '127.0.0.1:8080';

builder.prismaObjectField('HttpsEdge', 'proxyConfiguration', (t) =>
  t.field({
    type: [ProxyConfigurationFile],
    nullable: true,
    complexity: { field: proxyConfigurationCost, multiplier: 2 },
    description:
      'The configuration of a proxy that asks the gate about each request to a host of the edge, to copy: the files of `deploy` in the ' +
      'distribution, filled in. Null if the edge has no hosts yet.',
    args: {
      proxy: t.arg({ type: GateProxyType, required: true, description: 'The proxy.' }),
      hostport: t.arg.string({
        description: 'One of `hostports` of the edge. Defaults to the first. Each host has a configuration of its own.',
      }),
      service: t.arg.string({
        description:
          'Where the proxy reaches this service without encryption, as `host:port`. Defaults to the address of this service if that is ' +
          'without encryption, otherwise to `127.0.0.1:4000`.',
      }),
      application: t.arg.string({
        description:
          'Where the proxy reaches the application, as `host:port`. Defaults to the targets of the backends of the routes, and to ' +
          `\`${applicationDefault}\` for routes whose backend has none without TLS.`,
      }),
    },
    resolve: async ({ id: edgeId, hostports, forwardsKeys }, { proxy, hostport, service, application }, context) => {
      const own = readTextList(hostports);
      if (hostport != null && !own.includes(hostport)) {
        throw invalid('hostport', 'must be one of the `hostports` of the edge.');
      }
      const [first] = own;
      const chosen = service == null ? serviceAt(context.baseUrl) : checkServerAddress('service', service);
      const given = application == null ? null : checkServerAddress('application', application);
      if (first === undefined) return null;
      const destinations =
        given === null ? await destinationsFor(context, edgeId, applicationDefault) : leadingTo(given);
      const templates = await readTemplates(proxy);
      const settings = { edgeId, hostport: hostport ?? first, service: chosen, forwardsKeys, ...destinations };
      const files = proxyFiles(proxy, settings, (path) => templates.get(path) ?? '');
      context.budget.countText(files.reduce((sum, { text }) => sum + text.length, 0));
      return files;
    },
  }),
);

/** Reads where the routes of an edge lead, if the key may know. */
async function destinationsFor({ scope, identity }: Context, edgeId: string, otherwise: string): Promise<Destinations> {
  if (identity.rights.has('backends:read')) return readDestinations(scope, edgeId, otherwise);
  const missing = [`Everything leads to ${otherwise}: the key that asked lacks "backends:read".`];
  return { ...leadingTo(otherwise), missing };
}
