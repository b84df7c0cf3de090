// A TLS edge as a configuration of HAProxy, which looks at the name that a client asks for and passes the encrypted connection on.
// Frontends of IPv4 and IPv6 are apart: HAProxy takes some IPv6 addresses, such as those of 6to4, for the IPv4 address in them,
// and our rules do not. Pure.

import { type AddressSet, isEverybody, passedBy, rangesOf, type SetRule } from '../address-set.ts';
import { formatRange, parseRange } from '../cidr.ts';
import { isJsonObject } from '../json.ts';
import { type Check, type Condition, conditionOf, NotExpressible } from '../tls-policy/conditions.ts';
import type { PolicyRule } from '../tls-policy/evaluate.ts';
import { type AllowedAddresses, commentsOn } from './endpoints.ts';
import { type GeneratedFile, generatedFile } from './generated-file.ts';

/** An edge, with all that decides who reaches it. */
export interface EnforcedEdge {
  readonly edgeId: string;
  readonly hostports: readonly string[];
  /** The rules that apply, in order, each with its place in words: `inbound[0]`. */
  readonly rules: readonly { readonly place: string; readonly rule: PolicyRule }[];
  /** The rules of the IP policies that exist, by id. */
  readonly ipPolicies: ReadonlyMap<string, readonly SetRule[]>;
  /** Whom the IP restrictions of the account let pass. */
  readonly allowed: AllowedAddresses;
}

/** What the configuration is to be used with. */
export interface HaproxySettings {
  /** Where the files are. */
  readonly directory: string;
  readonly listen: readonly { readonly address: string; readonly version: Version }[];
  /** Where connections go that may pass, as `host:port`. */
  readonly server: string;
}

type Version = 'ipv4' | 'ipv6';

/** Files, and what they cannot express, in sentences. */
export interface HaproxyFiles {
  readonly files: readonly GeneratedFile[];
  readonly notExpressed: readonly string[];
}

/** A rule of HAProxy in the making: it refuses where a condition holds, whom a list does not let pass. */
interface Refusal {
  readonly condition: Condition;
  /** Null to refuse everybody. */
  readonly unless: { readonly name: string; readonly set: AddressSet } | null;
}

/** Writes the configuration. The main file comes last. */
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
  // One and the same for all files, by which those that are no longer needed are known.
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
    // What is no TLS, or asks for no name of the edge, is refused, once it is clear or has taken too long.
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

/** Most checks of a condition in one line: HAProxy refuses a file with a line of more than 64 words, and a check has up to six. */
const checksMax = 8;

/** @param aclName what the names of ACLs begin with */
function refusalLines({ condition, unless }: Refusal, aclName: string, version: Version, directory: string): string[] {
  if (unless !== null && isEverybody(unless.set)) return [];
  const list = unless === null || unless.set[version].length === 0 ? null : listName(unless.name, version);
  const exception = list === null ? [] : [`!{ src -f ${directory}/${list} }`];
  return condition.flatMap((literals, place) => {
    const matches = literals.map(({ check, holds }) => ({ holds, match: matchOf(check, version) }));
    if (matches.some(({ holds, match }) => holds && match === false)) return [];
    const checks = matches.flatMap(({ holds, match }) => (typeof match === 'string' ? [{ holds, match }] : []));
    // Where one line cannot have them all, what must not hold gets a line each: ACLs of one name hold where any of them does.
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

/** Writes a check; false where it never holds. */
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
  // A policy that was deleted counts as one without rules.
  return [...own, ...textsOf('ip_policies').flatMap((id) => ipPolicies.get(id) ?? [])];
}
