// Exports a TLS edge as an HAProxy configuration: it looks at the server name that a client asks for, and passes the connection on
// without decrypting it. IPv4 and IPv6 have separate frontends, because HAProxy matches some IPv6 addresses, such as 6to4, by the
// IPv4 address in them, and our rules do not. Pure.

import { type AddressSet, isEverybody, passedBy, rangesOf, type SetRule } from '../address-set.ts';
import { formatRange, parseRange } from '../cidr.ts';
import { isJsonObject } from '../json.ts';
import { type Check, type Condition, conditionOf, NotExpressible } from '../tls-policy/conditions.ts';
import type { PolicyRule } from '../tls-policy/evaluate.ts';
import { type AllowedAddresses, commentsOn } from './endpoints.ts';
import { type GeneratedFile, generatedFile } from './generated-file.ts';

/** An edge, with everything that decides who can reach it. */
export interface EnforcedEdge {
  readonly edgeId: string;
  readonly hostports: readonly string[];
  /** The rules that apply, in order, each with its place in the policy, such as `inbound[0]`. */
  readonly rules: readonly { readonly place: string; readonly rule: PolicyRule }[];
  /** The rules of the existing IP policies, by policy id. */
  readonly ipPolicies: ReadonlyMap<string, readonly SetRule[]>;
  /** The addresses that the IP restrictions of the account let pass. */
  readonly allowed: AllowedAddresses;
}

/** The environment that the configuration is for. */
export interface HaproxySettings {
  /** The directory of the files. */
  readonly directory: string;
  readonly listen: readonly { readonly address: string; readonly version: Version }[];
  /** Where allowed connections go, as `host:port`. */
  readonly server: string;
}

type Version = 'ipv4' | 'ipv6';

/** The files, and sentences that say what they cannot express. */
export interface HaproxyFiles {
  readonly files: readonly GeneratedFile[];
  readonly notExpressed: readonly string[];
}

/** A future HAProxy rule: if the condition holds, it refuses every client whose address is not in the list. */
interface Refusal {
  readonly condition: Condition;
  /** Null to refuse everybody. */
  readonly unless: { readonly name: string; readonly set: AddressSet } | null;
}

/** Creates the configuration. The main file comes last. */
export function haproxyFiles(edge: EnforcedEdge, settings: HaproxySettings): HaproxyFiles {
  const notExpressed: string[] = [];
  const restricted: Refusal = { condition: [[]], unless: { name: 'restrictions', set: edge.allowed.set } };
  const refusals = [
    restricted,
    ...edge.rules.flatMap(({ place, rule }) => refusalsOf(edge, place, rule, notExpressed)),
  ];
  const lists = refusals.flatMap(({ unless }) => (unless === null || isEverybody(unless.set) ? [] : [unless]));
  const ports = [...new Set(edge.hostports.map((hostport) => hostport.slice(hostport.lastIndexOf(':') + 1)))];
  const lines = [
    ...commentsOn(edge.allowed),
    ...notExpressed.map((sentence) => `# Not expressed: ${sentence}`),
    'defaults',
    '    mode tcp',
    '    timeout connect 5s',
    '    timeout client 1m',
    '    timeout server 1m',
    '    timeout tunnel 1h',
    ...ports.flatMap((port) => settings.listen.flatMap((listen) => frontendOf(edge, settings, port, listen, refusals))),
    'backend edge',
    `    server edge ${settings.server} init-addr last,libc,none`,
  ];
  // The same for all files, so that files that are no longer needed can be recognised.
  const what = `HAProxy, the TLS edge ${edge.edgeId}`;
  const listFiles = lists.flatMap(({ name, set }) =>
    (['ipv4', 'ipv6'] as const).flatMap((version) =>
      set[version].length === 0 ? [] : generatedFile(listName(name, version), what, rangesOf(set, version)),
    ),
  );
  const main = generatedFile('haproxy.cfg', what, lines);
  return { files: [...listFiles, main], notExpressed };
}

function frontendOf(
  { hostports }: EnforcedEdge,
  { directory }: HaproxySettings,
  port: string,
  { address, version }: HaproxySettings['listen'][number],
  refusals: readonly Refusal[],
): string[] {
  const name = `${version}_${address.replaceAll(/[^0-9a-f]/g, '_')}_${port}`;
  const hosts = hostports
    .filter((hostport) => hostport.endsWith(`:${port}`))
    .map((one) => one.slice(0, -port.length - 1));
  return [
    `frontend ${name}`,
    version === 'ipv4' ? `    bind ${address}:${port}` : `    bind [${address}]:${port} v6only`,
    '    tcp-request inspect-delay 5s',
    ...hosts.map((host) => `    acl of_edge ${hostMatch(host)}`),
    // Refuses connections that are not TLS or name no host of the edge, once that is clear or the delay has passed.
    '    tcp-request content reject unless { req.ssl_hello_type 1 }',
    '    tcp-request content reject unless of_edge',
    ...refusals.flatMap((refusal, place) => refusalLines(refusal, `excluded_${place}`, version, directory)),
    '    tcp-request content accept',
    '    default_backend edge',
  ];
}

function hostMatch(host: string): string {
  if (!host.startsWith('*.')) return `req.ssl_sni -i -m str ${host}`;
  return `req.ssl_sni -i -m reg ^[^.]+${host.slice(1).replaceAll('.', '\\\\.')}$`;
}

/** Most checks of a condition in one line: HAProxy refuses a line of more than 64 words, and a check has up to seven. */
const checksMax = 8;

/** @param aclName the prefix of ACL names */
function refusalLines({ condition, unless }: Refusal, aclName: string, version: Version, directory: string): string[] {
  if (unless !== null && isEverybody(unless.set)) return [];
  const list = unless === null || unless.set[version].length === 0 ? null : listName(unless.name, version);
  const exception = list === null ? [] : [`!{ src -f ${directory}/${list} }`];
  return condition.flatMap((literals, place) => {
    const matches = literals.map(({ check, holds }) => ({ holds, match: matchOf(check, version) }));
    if (matches.some(({ holds, match }) => holds && match === false)) return [];
    const checks = matches.flatMap(({ holds, match }) => (typeof match === 'string' ? [{ holds, match }] : []));
    // If the checks do not fit one line, each one that must not hold gets its own: ACLs with the same name hold if any does.
    const acl = `${aclName}_${place}`;
    const apart = checks.length > checksMax ? checks.filter(({ holds }) => !holds) : [];
    const together = checks.filter((check) => !apart.includes(check));
    const all = [
      ...together.map(({ holds, match }) => `${holds ? '' : '!'}{ ${match} }`),
      ...(apart.length === 0 ? [] : [`!${acl}`]),
      ...exception,
    ];
    return [
      ...apart.map(({ match }) => `    acl ${acl} ${match}`),
      `    tcp-request content reject${all.length === 0 ? '' : ` if ${all.join(' ')}`}`,
    ];
  });
}

const serverNameMatches = { equals: 'str', startsWith: 'beg', endsWith: 'end', contains: 'sub' };
const comparisons = { '==': 'eq', '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge' };

/** Returns a check in HAProxy's syntax; false if it never holds. */
function matchOf(check: Check, version: Version): string | false {
  switch (check.kind) {
    case 'serverName':
      return `req.ssl_sni -i -m ${serverNameMatches[check.match]} ${check.text}`;
    case 'clientIn':
      return check.range.includes(':') === (version === 'ipv6') && `src ${check.range}`;
    case 'port':
      return `${check.side === 'client' ? 'src' : 'dst'}_port ${comparisons[check.comparison]} ${check.port}`;
  }
}

function listName(name: string, version: Version): string {
  return `${name}-${version}.lst`;
}

function refusalsOf(edge: EnforcedEdge, place: string, { expressions, actions }: PolicyRule, notExpressed: string[]) {
  const condition = readCondition(place, expressions ?? [], notExpressed);
  if (condition === null) return [];
  return actions.flatMap(({ type, config }, index): Refusal[] => {
    const action = `${place}.actions[${index}]`;
    if (type === 'deny') return [{ condition, unless: null }];
    if (type !== 'restrict-ips') {
      notExpressed.push(`${action}: actions of this type (${type}).`);
      return [];
    }
    const settings = isJsonObject(config) ? config : {};
    if (settings.enforce === false) {
      notExpressed.push(`${action}: restrict-ips that only warns.`);
      return [];
    }
    const name = action.replaceAll(/\W+/g, '-').replace(/-$/, '');
    return [{ condition, unless: { name, set: passedBy(rangesNamed(edge, settings)) } }];
  });
}

function readCondition(place: string, expressions: readonly string[], notExpressed: string[]): Condition | null {
  try {
    const condition = conditionOf(expressions);
    if (condition.some((literals) => literals.filter(({ holds }) => holds).length > checksMax)) {
      throw new NotExpressible('a condition that is too long for one line of HAProxy');
    }
    return condition;
  } catch (error) {
    if (!(error instanceof NotExpressible)) throw error;
    notExpressed.push(`${place}: ${error.message}.`);
    return null;
  }
}

function rangesNamed({ ipPolicies }: EnforcedEdge, settings: Readonly<Record<string, unknown>>): SetRule[] {
  const textsOf = (name: string) => {
    const list = settings[name];
    return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
  };
  const own = (['allow', 'deny'] as const).flatMap((action) =>
    textsOf(action).map((range) => ({ action, range: formatRange(parseRange(action, range)) })),
  );
  // A deleted policy counts as one without rules.
  return [...own, ...textsOf('ip_policies').flatMap((id) => ipPolicies.get(id) ?? [])];
}
