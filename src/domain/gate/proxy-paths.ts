// The parts of a proxy's configuration that lead requests to the servers of their paths. The gate decides by the same paths: an exact
// match comes first, then the longest prefix. Pure.

import type { RouteRule } from './edge-table.ts';
import { comparableMatch } from './url.ts';

/** Servers that take turns, as `host:port`; at least one. */
export type Servers = readonly [string, ...string[]];

/** A path, and the servers that its requests go to. */
export interface ServedPath extends RoutePath {
  readonly servers: Servers;
}

/**
 * Returns whether all proxies compare a path as the gate does. Any other can be spelled in several ways, and some proxies compare what
 * is sent, others what it means.
 */
export function isComparedAlike(match: string): boolean {
  return /^\/[\w.~/-]*$/.test(match);
}

export type RoutePath = Pick<RouteRule, 'matchType' | 'match'>;

/** Sorts paths, oldest first, so that the first that matches a request is the one that the gate decides by. */
export function mostExactFirst<P extends RoutePath>(paths: readonly P[]): P[] {
  const lengthOf = ({ match }: P) => comparableMatch(match).length;
  const prefixes = paths.filter((path) => !isExact(path)).sort((a, b) => lengthOf(b) - lengthOf(a));
  return [...paths.filter(isExact), ...prefixes];
}

/** Where a configuration leads requests. */
export interface Destinations {
  /** The servers of every path that has none of its own. */
  readonly application: Servers;
  /** Most exact first. */
  readonly paths: readonly ServedPath[];
  /** What names of groups of servers begin with where all configurations of a proxy share them. */
  readonly prefix: string;
}

/** Returns whether a path matches only itself. */
export function isExact({ matchType }: RoutePath): boolean {
  return matchType === 'exact_path';
}

const pathName = (index: number) => `path${index + 1}`;

/** Returns what nginx is told to pass requests to: a server, or the name of a group. */
export function nginxTarget({ application, prefix }: Destinations): string {
  return targetOf(application, `${prefix}_application`);
}

function targetOf(servers: Servers, group: string): string {
  return servers.length === 1 ? servers[0] : group;
}

/** Adds a location for each path to a configuration of nginx, and the groups of servers before it. */
export function leadInNginx(text: string, destinations: Destinations): string {
  const { application, paths, prefix } = destinations;
  const groups = [
    { group: `${prefix}_application`, servers: application },
    ...paths.map(({ servers }, index) => ({ group: `${prefix}_${pathName(index)}`, servers })),
  ];
  const upstreams = groups.flatMap(({ group, servers }) =>
    servers.length === 1 ? [] : [`upstream ${group} {`, ...servers.map((server) => `    server ${server};`), '}', ''],
  );
  const block = partOf(text, / {4}location \/ \{\n[\s\S]*?\n {4}\}\n/);
  const locations = paths.map((path, index) =>
    block
      .replace('location / {', `location ${isExact(path) ? '= ' : ''}${path.match} {`)
      .replace(
        `proxy_pass http://${nginxTarget(destinations)};`,
        `proxy_pass http://${targetOf(path.servers, `${prefix}_${pathName(index)}`)};`,
      ),
  );
  const withGroups = swapped(text, 'server {\n', `${upstreams.map((line) => `${line}\n`).join('')}server {\n`);
  return swapped(withGroups, block, [block, ...locations].join('\n'));
}

/** Adds the paths to a configuration of Caddy. */
export function leadInCaddy(text: string, { application, paths }: Destinations): string {
  const last = partOf(text, /^\t\treverse_proxy .*\n/m);
  const lines = paths.flatMap((path, index) => [
    // Unlike "path", an expression tells upper case from lower case.
    `\t\t@${pathName(index)} path_regexp ^${path.match.replaceAll('.', '[.]')}${isExact(path) ? '$' : ''}\n`,
    `\t\treverse_proxy @${pathName(index)} ${path.servers.join(' ')}\n`,
  ]);
  return swapped(text, last, `${lines.join('')}\t\treverse_proxy ${application.join(' ')}\n`);
}

/** Adds the paths to a configuration of HAProxy. */
export function leadInHaproxy(text: string, { application, paths }: Destinations): string {
  const serverLines = (servers: Servers) =>
    servers.map((server, index) => `  server ${index + 1} ${server}${servers.length === 1 ? '' : ' check'}\n`).join('');
  const rules = paths.map(
    (path, index) =>
      `  use_backend ${pathName(index)} if { path,url_dec -m ${isExact(path) ? 'str' : 'beg'} -- ${path.match} }\n`,
  );
  const backends = paths.map(({ servers }, index) => `\nbackend ${pathName(index)}\n${serverLines(servers)}`);
  const last = partOf(text, /^ {2}default_backend .*\n/m);
  const one = partOf(text, /^ {2}server one .*\n/m);
  const servers = application.length === 1 ? one : serverLines(application);
  return swapped(swapped(text, last, `${rules.join('')}${last}`), one, `${servers}${backends.join('')}`);
}

/** Adds the paths to a configuration of Traefik. */
export function leadInTraefik(text: string, { application, paths }: Destinations): string {
  const router = partOf(text, /^ {4}app:\n {6}rule: [\s\S]*? {6}tls: \{\}\n/m);
  const service = partOf(text, /^ {4}app:\n {6}loadBalancer:\n[\s\S]*/m);
  const server = partOf(service, /^ {10}- url: .*\n/m);
  const serviceOf = (name: string, servers: Servers) =>
    swapped(
      service.replace('app:', `${name}:`),
      server,
      servers.map((each) => `          - url: http://${each}\n`).join(''),
    );
  const routers = paths.map((path, index) =>
    router
      .replace('app:', `${pathName(index)}:`)
      .replace(/^ {6}rule: (.*)$/m, (_line, host: string) => {
        const matches = `${isExact(path) ? 'Path' : 'PathPrefix'}(\`${path.match}\`)`;
        // By themselves, longer rules come first.
        return `      rule: ${host} && ${matches}\n      priority: ${priorityOfFirst - index}`;
      })
      .replace('service: app', `service: ${pathName(index)}`),
  );
  const services = paths.map(({ servers }, index) => serviceOf(pathName(index), servers));
  const withServices = swapped(text, service, [serviceOf('app', application), ...services].join(''));
  return swapped(withServices, router, [router, ...routers].join(''));
}

/** Above the priority of any rule without one, which is its length. */
const priorityOfFirst = 1_000_000;

/** Adds the paths to a configuration of Envoy, in which `addressOf` writes an address. */
export function leadInEnvoy(
  text: string,
  { application, paths }: Destinations,
  addressOf: (server: string) => string,
): string {
  const route = partOf(text, /^ {24}- match: \{ prefix: \/ \}\n/m);
  const cluster = partOf(text, /^ {4}- name: app\n {6}type: [\s\S]*/m);
  const endpoint = partOf(cluster, /^ {14}- endpoint: .*\n/m);
  const clusterOf = (name: string, servers: Servers) =>
    cluster
      .replace('name: app\n', `name: ${name}\n`)
      .replace('cluster_name: app\n', `cluster_name: ${name}\n`)
      .replace(
        endpoint,
        servers
          .map((server) => `              - endpoint: { address: { socket_address: { ${addressOf(server)} } } }\n`)
          .join(''),
      );
  const indent = ' '.repeat(24);
  const routes = paths.flatMap((path, index) => [
    `${indent}- match: { ${isExact(path) ? 'path' : 'prefix'}: "${path.match}" }\n`,
    `${indent}  route: { cluster: ${pathName(index)}, timeout: 0s }\n`,
  ]);
  const clusters = paths.map(({ servers }, index) => clusterOf(pathName(index), servers));
  const withRoutes = swapped(text, route, `${routes.join('')}${route}`);
  return swapped(withRoutes, cluster, [clusterOf('app', application), ...clusters].join(''));
}

/** Replaces the first occurrence of a part of a text. Unlike `replace`, takes `$` as it is. */
function swapped(text: string, part: string, by: string): string {
  return text.replace(part, () => by);
}

/** Returns the part of a text that a pattern finds. Throws Error if there is none: the package is broken. */
function partOf(text: string, pattern: RegExp): string {
  const [part] = pattern.exec(text) ?? [];
  if (part === undefined) throw new Error(`A configuration in deploy has no ${pattern}.`);
  return part;
}
