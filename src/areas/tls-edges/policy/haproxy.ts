// Exports a TLS edge as an HAProxy configuration: it looks at the server name that a client asks for, and passes the connection on
// without decrypting it. IPv4 and IPv6 have separate frontends, because HAProxy matches some IPv6 addresses, such as 6to4, by the
// IPv4 address in them, and our rules do not. Pure.

import { type AllowedAddresses, commentsOn } from '../../../domain/enforcement/endpoints.ts';
import { type GeneratedFile, generatedFile } from '../../../domain/enforcement/generated-file.ts';
import {
  type AddressSet,
  isEmpty,
  isEverybody,
  passedBy,
  rangesOf,
  type SetRule,
} from '../../../domain/ip/address-set.ts';
import { type Check, type Condition, conditionOf, type Literal, NotExpressible } from './conditions.ts';
import type { PolicyRule } from './evaluate.ts';
import { readRestrictIps, restrictIpsRules } from './restrict-ips.ts';

/** An edge, with everything that decides who can reach it. */
export interface EnforcedEdge {
  readonly edgeId: string;
  readonly hostports: readonly string[];
  /** The rules that apply, in order, each with its path in the policy, such as `inbound[0]`. */
  readonly rules: readonly { readonly path: string; readonly rule: PolicyRule }[];
  /** The rules of the existing IP policies, by policy id. */
  readonly ipPolicies: ReadonlyMap<string, readonly SetRule[]>;
  /** When the first of these ends, in milliseconds since 1970; `endlessMs` if none does. */
  readonly validUntilMs: number;
  /** The addresses that the IP restrictions of the account let pass. */
  readonly allowed: AllowedAddresses;
  /** The addresses that the IP restriction module of the edge lets pass; null unless it is set and enabled. */
  readonly allowedHere: AddressSet | null;
}

/** The environment that the configuration is for. */
export interface HaproxySettings {
  readonly directory: string;
  readonly listen: readonly { readonly address: string; readonly version: Version }[];
  /** Where allowed connections go, in turn: the `host:port` of each server. Not empty. */
  readonly servers: readonly string[];
}

const versions = ['ipv4', 'ipv6'] as const;
type Version = (typeof versions)[number];

/** The files, and sentences that say what they cannot express. */
export interface HaproxyFiles {
  readonly files: readonly GeneratedFile[];
  readonly notExpressed: readonly string[];
  /** When the first of the rules ends, in milliseconds since 1970; `endlessMs` if none does. */
  readonly validUntilMs: number;
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
    ...restrictedHere(edge),
    ...edge.rules.flatMap(({ path, rule }) => refusalsOf(edge, path, rule, notExpressed)),
  ];
  const validUntilMs = Math.min(edge.validUntilMs, edge.allowed.validUntilMs);
  const lists = refusals.flatMap(({ unless }) => (unless === null || isEverybody(unless.set) ? [] : [unless]));
  const ports = [...new Set(edge.hostports.map((hostport) => hostport.slice(hostport.lastIndexOf(':') + 1)))];
  const lines = [
    ...commentsOn({ ...edge.allowed, validUntilMs }),
    ...(edge.allowedHere !== null && isEmpty(edge.allowedHere)
      ? ['# The IP restriction module of the edge allows nobody.']
      : []),
    ...notExpressed.map((sentence) => `# Not expressed: ${sentence}`),
    'defaults',
    '    mode tcp',
    '    timeout connect 5s',
    '    timeout client 1m',
    '    timeout server 1m',
    '    timeout tunnel 1h',
    ...ports.flatMap((port) => settings.listen.flatMap((listen) => frontendOf(edge, settings, port, listen, refusals))),
    'backend edge',
    '    balance roundrobin',
    // A connection attempt, not a TLS handshake: servers may ask clients for certificates.
    '    default-server check inter 5s fall 2 rise 2 init-addr last,libc,none',
    // A server that has just gone is not yet known to be down.
    '    option redispatch 1',
    ...settings.servers.map((server, index) => `    server target_${index} ${server}`),
  ];
  // The same for all files, so that files that are no longer needed can be recognised.
  const what = `HAProxy, the TLS edge ${edge.edgeId}`;
  const listFiles = lists.flatMap(({ name, set }) =>
    versions.flatMap((version) =>
      set[version].length === 0 ? [] : generatedFile(listName(name, version), what, rangesOf(set, version)),
    ),
  );
  const main = generatedFile('haproxy.cfg', what, lines);
  return { files: [...listFiles, main], notExpressed, validUntilMs };
}

/** Returns the refusal of the IP restriction module, which comes before the traffic policy. */
function restrictedHere({ allowedHere }: EnforcedEdge): Refusal[] {
  return allowedHere === null ? [] : [{ condition: [[]], unless: { name: 'ip-restriction', set: allowedHere } }];
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
    ...refusals.flatMap((refusal, index) => refusalLines(refusal, `excluded_${index}`, version, directory)),
    '    tcp-request content accept',
    '    default_backend edge',
  ];
}

function hostMatch(host: string): string {
  if (!host.startsWith('*.')) return `req.ssl_sni -i -m str ${host}`;
  return `req.ssl_sni -i -m reg ^[^.]+${host.slice(1).replaceAll('.', '\\\\.')}$`;
}

/** Most words in one line: HAProxy refuses longer ones (MAX_LINE_ARGS). */
const lineWordsMax = 64;
/** Most words that the checks of a condition may take in one line. Leaves room for everything else that a line may have. */
const checkWordsMax = lineWordsMax - wordsIn(['tcp-request content reject if !acl !{ src -f list }']);

function wordsIn(texts: readonly string[]): number {
  return texts.flatMap((text) => text.split(' ')).length;
}

/** @param aclName the prefix of ACL names */
function refusalLines({ condition, unless }: Refusal, aclName: string, version: Version, directory: string): string[] {
  if (unless !== null && isEverybody(unless.set)) return [];
  const list = unless === null || unless.set[version].length === 0 ? null : listName(unless.name, version);
  const exception = list === null ? [] : [`!{ src -f ${directory}/${list} }`];
  return condition.flatMap((literals, index) => {
    const matches = matchesOf(literals, version);
    if (matches === null) return [];
    // If the checks do not fit one line, each one that must not hold gets its own: ACLs with the same name hold if any does.
    const acl = `${aclName}_${index}`;
    const apart = wordsIn(matches.map(inBraces)) > checkWordsMax ? matches.filter(({ holds }) => !holds) : [];
    const together = matches.filter((match) => !apart.includes(match));
    const all = [...together.map(inBraces), ...(apart.length === 0 ? [] : [`!${acl}`]), ...exception];
    return [
      ...apart.map(({ text }) => `    acl ${acl} ${text}`),
      `    tcp-request content reject${all.length === 0 ? '' : ` if ${all.join(' ')}`}`,
    ];
  });
}

/** A check in HAProxy's syntax that must hold or must not hold. */
interface Match {
  readonly text: string;
  readonly holds: boolean;
}

function inBraces({ text, holds }: Match): string {
  return `${holds ? '' : '!'}{ ${text} }`;
}

/** Returns the checks that decide for connections of an IP version; null if the literals are never all met. */
function matchesOf(literals: readonly Literal[], version: Version): Match[] | null {
  const matches = literals.map(({ check, holds }) => ({ text: matchText(check, version), holds }));
  if (matches.some(({ text, holds }) => holds && text === null)) return null;
  return matches.flatMap(({ text, holds }) => (text === null ? [] : [{ text, holds }]));
}

const serverNameMatches = { equals: 'str', startsWith: 'beg', endsWith: 'end', contains: 'sub' };
const comparisons = { '==': 'eq', '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge' };

/** Returns a check in HAProxy's syntax; null if it never holds. */
function matchText(check: Check, version: Version): string | null {
  switch (check.kind) {
    case 'serverName':
      // `--` ends the flags: the text may begin with a hyphen.
      return `req.ssl_sni -i -m ${serverNameMatches[check.match]} -- ${check.text}`;
    case 'clientIn':
      return check.range.includes(':') === (version === 'ipv6') ? `src ${check.range}` : null;
    case 'port':
      return `${check.side === 'client' ? 'src' : 'dst'}_port ${comparisons[check.comparison]} ${check.port}`;
  }
}

function listName(name: string, version: Version): string {
  return `${name}-${version}.lst`;
}

function refusalsOf(edge: EnforcedEdge, path: string, { expressions, actions }: PolicyRule, notExpressed: string[]) {
  const condition = readCondition(path, expressions ?? [], notExpressed);
  if (condition === null) return [];
  return actions.flatMap(({ type, config }, index): Refusal[] => {
    const action = `${path}.actions[${index}]`;
    if (type === 'deny') return [{ condition, unless: null }];
    if (type !== 'restrict-ips') {
      notExpressed.push(`${action}: actions of this type (${type}).`);
      return [];
    }
    const settings = readRestrictIps(config);
    if (!settings.enforced) {
      notExpressed.push(`${action}: restrict-ips that only warns.`);
      return [];
    }
    const name = action.replaceAll(/\W+/g, '-').replace(/-$/, '');
    return [{ condition, unless: { name, set: passedBy(restrictIpsRules(settings, edge.ipPolicies)) } }];
  });
}

function readCondition(path: string, expressions: readonly string[], notExpressed: string[]): Condition | null {
  try {
    const condition = conditionOf(expressions);
    if (condition.every((literals) => versions.every((version) => fitsLine(literals, version)))) return condition;
    throw new NotExpressible('a condition that is too long for one line of HAProxy');
  } catch (error) {
    if (!(error instanceof NotExpressible)) throw error;
    notExpressed.push(`${path}: ${error.message}.`);
    return null;
  }
}

/** Returns whether the checks that must hold fit one line. Those that must not hold can have lines of their own. */
function fitsLine(literals: readonly Literal[], version: Version): boolean {
  const matches = matchesOf(literals, version) ?? [];
  return wordsIn(matches.filter(({ holds }) => holds).map(inBraces)) <= checkWordsMax;
}
