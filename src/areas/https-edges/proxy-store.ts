// What a configuration of a proxy is made of: the templates in the package, and where the routes of an edge lead.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid } from '../../domain/errors.ts';
import type { RouteRule } from '../../domain/gate/edge-table.ts';
import { type GateProxy, templatePaths } from '../../domain/gate/proxy-configuration.ts';
import { isComparedAlike, type ServedPath, type Servers } from '../../domain/gate/proxy-paths.ts';
import { readChoice, readTextList } from '../../domain/values/decode.ts';
import { called } from '../../domain/wording.ts';
import { packageDirectory } from '../../storage/lifecycle/package.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { matchTypes } from './rules.ts';

// Cached for good, because templates do not change while the program runs.
const kept = new Map<string, string>();

/** Reads the configuration templates of a proxy, by path. Rejects as `readFile` does: a package without them is broken. */
export async function readTemplates(proxy: GateProxy): Promise<ReadonlyMap<string, string>> {
  for (const path of templatePaths(proxy)) {
    if (!kept.has(path)) kept.set(path, await readFile(join(packageDirectory, 'deploy', path), 'utf8'));
  }
  return kept;
}

/** Where the traffic of an edge goes. */
export interface Destinations {
  readonly application: Servers;
  readonly paths: readonly ServedPath[];
  /** Sentences that say which routes have a backend that cannot be used, and why. */
  readonly missing: readonly string[];
}

/** Leads everything to one server. */
export function leadingTo(server: string): Destinations {
  return { application: [server], paths: [], missing: [] };
}

/**
 * Reads where the routes of an edge lead: to the targets of their backends.
 *
 * @param otherwise the server of the routes whose backend has no usable targets
 * @throws INVALID_INPUT if routes lead to different servers, and proxies compare the path of one of them differently from the gate
 */
export async function readDestinations(scope: AccountScope, edgeId: string, otherwise: string): Promise<Destinations> {
  const routes = await scope.db.httpsEdgeRoute.findMany({
    where: { edgeId },
    orderBy: { id: 'asc' },
    include: { backend: { include: { backend: true } } },
  });
  const missing: string[] = [];
  const served = routes.map(({ backend: module, ...route }): ServedPath => {
    const servers = module?.enabled ? readServers(module.backend) : [];
    if (typeof servers === 'string') missing.push(`${servers} So the route ${called(route)} leads to ${otherwise}.`);
    const [first = otherwise, ...others] = typeof servers === 'string' ? [] : servers;
    return { ...pathOf(route), servers: [first, ...others] };
  });
  const everything = served.find(({ matchType, match }) => matchType === 'path_prefix' && match === '/');
  const [first] = served;
  const isOne = served.every(({ servers }) => servers.join() === first?.servers.join());
  const application = (isOne ? first : everything)?.servers ?? [otherwise];
  const paths = isOne ? [] : served.filter((path) => path !== everything);
  const unlike = paths.find(({ match }) => !isComparedAlike(match));
  if (unlike !== undefined) {
    const path = JSON.stringify(unlike.match);
    throw invalid(
      'application',
      `must be given: the routes lead to different servers, and not all proxies compare the path ${path} as the gate does.`,
    );
  }
  return { application, paths, missing };
}

function pathOf({ matchType, match }: { matchType: string; match: string }): Pick<RouteRule, 'matchType' | 'match'> {
  return { matchType: readChoice(matchTypes, matchType), match };
}

/** Returns the targets of a backend, or a sentence that says what is missing. */
function readServers(backend: { id: string; description: string; targets: unknown; tls: string }): string[] | string {
  const targets = readTextList(backend.targets);
  if (targets.length === 0) return `The backend ${called(backend)} has no targets.`;
  if (backend.tls !== 'none') {
    return `The targets of the backend ${called(backend)} expect TLS (\`tls\`: ${backend.tls}), which the proxy has decrypted.`;
  }
  return targets;
}
