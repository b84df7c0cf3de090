// The configurations of proxies that ask the gate, filled in for an edge. The templates are the files in `deploy`, which are tested
// with the real programs; this module only defines the replacements. Pure.

import { isIP } from 'node:net';
import { printable } from '../values/printable.ts';
import { isServerAddress, splitServerAddress } from '../values/server-address.ts';
import {
  type Destinations,
  leadInCaddy,
  leadInEnvoy,
  leadInHaproxy,
  leadInNginx,
  leadInTraefik,
  mostExactFirst,
  nginxTarget,
  type ServedPath,
  type Servers,
} from './proxy-paths.ts';

export const gateProxies = ['nginx', 'caddy', 'haproxy', 'traefik', 'envoy'] as const;
export type GateProxy = (typeof gateProxies)[number];

/** The values that a configuration is filled in with. */
export interface ProxySettings {
  readonly edgeId: string;
  /** A host and port of the edge, as `host:port`; the host may be a wildcard. */
  readonly hostport: string;
  /** Where the proxy reaches this service, as `host:port`. */
  readonly service: string;
  /** Where the proxy reaches the application. */
  readonly application: Servers;
  /** The paths that have servers of their own. */
  readonly paths: readonly ServedPath[];
  /** Whether the application gets the API keys by which programs pass. */
  readonly forwardsKeys: boolean;
  /** Sentences that say which servers are not known. */
  readonly missing: readonly string[];
}

export interface ProxyFile {
  readonly name: string;
  readonly text: string;
}

/** The values for templates, in the forms that they need. */
interface Parts extends Omit<ProxySettings, 'application'> {
  /** The first server of the application; for nginx, the name of their group if there are several. */
  readonly application: string;
  readonly addresses: readonly string[];
  readonly host: string;
  readonly port: string;
  /** The host without a leading `*.`, for file names. */
  readonly name: string;
  /** The suffix that all hosts of a wildcard share, such as `.example.com`; null if there is no wildcard. */
  readonly ending: string | null;
}

/** A file in `deploy`, and the replacements for some of its texts. Of two that match at the same position, the first applies. */
interface Template {
  readonly path: string;
  readonly values: (parts: Parts) => Readonly<Record<string, string>>;
  /** Adds the servers of the application and of paths to the text that was filled in; absent for a file that names none. */
  readonly lead?: (text: string, destinations: Destinations) => string;
}

// The other proxies pass on the header that the gate answers, which follows the edge.
const caddyOnKeys =
  'gets neither the cookies of the gate nor an API key. For an edge with forwards_keys, leave out the last two lines';
const caddyWithoutKeys = `		@program header_regexp Authorization "(?i)^Bearer +sallyport_"
		request_header @program -Authorization
`;

const templates: Readonly<Record<GateProxy, readonly Template[]>> = {
  nginx: [
    {
      path: 'nginx/gate.conf',
      values: ({ service, name }) => ({ '127.0.0.1:4000': service, 'app.example.com': name }),
    },
    {
      path: 'nginx/default.conf',
      values: ({ port }) => ({ 'listen 443 ssl': `listen ${port} ssl`, 'listen [::]:443': `listen [::]:${port}` }),
    },
    {
      path: 'nginx/app.example.com.conf',
      values: ({ edgeId, application, host, port, name }) => ({
        EDGE_ID: edgeId,
        '127.0.0.1:8080': application,
        'listen 443 ssl': `listen ${port} ssl`,
        'listen [::]:443': `listen [::]:${port}`,
        'server_name app.example.com': `server_name ${host}`,
        'app.example.com': name,
        'https://$host:443': `https://$host:${port}`,
      }),
      lead: leadInNginx,
    },
  ],
  caddy: [
    {
      path: 'caddy/Caddyfile',
      values: ({ edgeId, application, service, host, port, forwardsKeys }) => ({
        EDGE_ID: edgeId,
        '127.0.0.1:8080': application,
        '127.0.0.1:4000': service,
        'app.example.com {': port === '443' ? `${host} {` : `${host}:${port} {`,
        [caddyOnKeys]: forwardsKeys ? 'does not get the cookies of the gate' : caddyOnKeys.replace(/\. .*/, ''),
        [caddyWithoutKeys]: forwardsKeys ? '' : caddyWithoutKeys,
      }),
      lead: leadInCaddy,
    },
  ],
  haproxy: [
    {
      path: 'haproxy/gate.cfg',
      values: ({ edgeId, application, service, host, port, name, ending }) => ({
        EDGE_ID: edgeId,
        '127.0.0.1:8080': application,
        '127.0.0.1:4000': service,
        'bind :::443': `bind :::${port}`,
        '-i app.example.com': ending === null ? `-i ${host}` : `-m end -i ${ending}`,
        'app.example.com': name,
      }),
      lead: leadInHaproxy,
    },
    { path: 'haproxy/gate.lua', values: () => ({}) },
  ],
  traefik: [
    {
      path: 'traefik/gate.yaml',
      values: ({ edgeId, application, service, host, ending }) => ({
        EDGE_ID: edgeId,
        '127.0.0.1:8080': application,
        '127.0.0.1:4000': service,
        'Host(`app.example.com`)':
          ending === null ? `Host(\`${host}\`)` : `HostRegexp(\`^[^.]+${ending.replaceAll('.', '[.]')}$\`)`,
      }),
      lead: leadInTraefik,
    },
  ],
  envoy: [
    {
      path: 'envoy/gate.yaml',
      values: ({ edgeId, application, service, host, port, name, hostport, addresses }) => ({
        EDGE_ID: edgeId,
        'address: 127.0.0.1, port_value: 8080': envoyAddress(application),
        'address: 127.0.0.1, port_value: 4000': envoyAddress(service),
        'http://127.0.0.1:4000': `http://${service}`,
        'port_value: 443,': `port_value: ${port},`,
        // Envoy compares the Host header, which has a port unless it is the default one.
        '[app.example.com]': port === '443' ? `["${host}"]` : `["${hostport}"]`,
        'app.example.com': name,
        // Host names need DNS.
        'type: STATIC': addresses.every(isAddress) ? 'type: STATIC' : 'type: STRICT_DNS',
      }),
      lead: (text, destinations) => leadInEnvoy(text, destinations, envoyAddress),
    },
  ],
};

/** Returns the paths of the files in `deploy` that make up the configuration of a proxy. */
export function templatePaths(proxy: GateProxy): string[] {
  return templates[proxy].map(({ path }) => path);
}

/**
 * Creates the configuration of a proxy for a host of an edge.
 *
 * @param readTemplate returns the text of a file in `deploy`
 * @throws Error if a template lacks a text that should be replaced: the package is broken
 */
export function proxyFiles(
  proxy: GateProxy,
  settings: ProxySettings,
  readTemplate: (path: string) => string,
): ProxyFile[] {
  const { edgeId, hostport, application, service } = settings;
  const [host, port] = splitServerAddress(hostport);
  const name = host.replace(/^\*\./, '');
  const paths = mostExactFirst(settings.paths);
  const destinations = { application, paths, prefix: `${name}_${port}` };
  const parts = {
    ...settings,
    application: proxy === 'nginx' ? nginxTarget(destinations) : application[0],
    addresses: [service, ...application, ...paths.flatMap(({ servers }) => servers)],
    host,
    port,
    name,
    ending: host === name ? null : `.${name}`,
  };
  const remaining = [
    `# For ${hostport} of the HTTPS edge ${edgeId}. Change the certificate, if one is named, and the addresses where they are others.`,
    ...settings.missing.map((sentence) => `# ${printable(sentence)}`),
  ].join('\n');
  return templates[proxy].map(({ path, values, lead = (text) => text }) => ({
    name: path.slice(path.indexOf('/') + 1).replace('app.example.com', name),
    text: lead(filledIn(path, readTemplate(path), values(parts)), destinations).replace(
      // The list of values to change in the file in `deploy`.
      /^# Change [\s\S]*?\.$/m,
      () => remaining,
    ),
  }));
}

/** Applies all replacements in one pass: inserted values are never replaced again. */
function filledIn(path: string, text: string, values: Readonly<Record<string, string>>): string {
  const missing = Object.keys(values).find((from) => !text.includes(from));
  if (missing !== undefined) throw new Error(`deploy/${path} has no "${missing}".`);
  const texts = Object.keys(values).map((from) => from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (texts.length === 0) return text;
  return text.replace(new RegExp(texts.join('|'), 'g'), (from) => values[from] ?? from);
}

/** The address of the service in the templates. */
const serviceDefault = '127.0.0.1:4000';

/** Returns the default address at which a proxy reaches this service: that of the base URL if it is plain HTTP. */
export function serviceAt(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return serviceDefault;
  const { protocol, hostname, port } = new URL(baseUrl);
  const address = `${hostname}:${port === '' ? '80' : port}`;
  return protocol === 'http:' && isServerAddress(address) ? address : serviceDefault;
}

function isAddress(address: string): boolean {
  return isIP(bareHost(address)) !== 0;
}

function envoyAddress(address: string): string {
  const [, port] = splitServerAddress(address);
  return `address: "${bareHost(address)}", port_value: ${port}`;
}

function bareHost(address: string): string {
  return splitServerAddress(address)[0].replace(/^\[|\]$/g, '');
}
