// Identifiers: the registry of kinds with their prefixes and collections, and how an id is made and recognised. Pure.

import { v7 } from 'uuid';

/**
 * Every kind of object that has an id: its prefix (spec, "Conventions") and, where it has them, the path of its REST
 * collection and the area whose scopes guard it, or a narrow scope that is enough for this kind alone (see `key-scopes.ts`). The
 * keys are the names of the GraphQL types. A prefix is never shared, and never used for a secret.
 */
export const kinds = {
  Account: { prefix: 'acct' },
  ApiKey: { prefix: 'ak', area: 'api-keys', path: '/api_keys' },
  // Only in GraphQL.
  DashboardSession: { prefix: 'dses', area: 'api-keys' },
  AuditEvent: { prefix: 'evt', area: 'audit-events', path: '/audit_events' },
  IpPolicy: { prefix: 'ipp', area: 'ip-policies', path: '/ip_policies' },
  IpPolicyRule: { prefix: 'ipr', area: 'ip-policies', path: '/ip_policy_rules' },
  IpRestriction: { prefix: 'ipx', area: 'ip-restrictions', path: '/ip_restrictions' },
  SshCertificateAuthority: { prefix: 'sshca', area: 'ssh', path: '/ssh_certificate_authorities' },
  SshEnrollmentToken: { prefix: 'sshenr', area: 'ssh', narrow: 'ssh:enroll', path: '/ssh_enrollment_tokens' },
  SshHostCertificate: { prefix: 'shcrt', area: 'ssh', path: '/ssh_host_certificates' },
  TunnelGroupBackend: { prefix: 'bkdtg', area: 'backends', path: '/backends/tunnel_group' },
  HttpsEdge: { prefix: 'edghts', area: 'https-edges', path: '/edges/https' },
  // Addressed below its edge, so its URL is more than a collection and an id.
  HttpsEdgeRoute: { prefix: 'edghtsrt', area: 'https-edges' },
  // Only in GraphQL.
  SamlSession: { prefix: 'sess', area: 'https-edges', narrow: 'gate' },
  TlsEdge: { prefix: 'edgtls', area: 'tls-edges', path: '/edges/tls' },
  // Answers and the log call it `operation_id` and `requestId`.
  Request: { prefix: 'op' },
} as const satisfies Record<string, { prefix: string; path?: `/${string}`; area?: string; narrow?: string }>;

/** Name of a kind of object that has an id. */
export type Kind = keyof typeof kinds;

/** Name of a kind that REST clients address at a path of its own. */
export type CollectionKind = { [K in Kind]: (typeof kinds)[K] extends { path: string } ? K : never }[Kind];

/** Name of an area: its folder in `src/areas`. */
export type Area = Extract<(typeof kinds)[Kind], { area: string }>['area'];

/** A scope for the objects of one kind, or what is done with them, and for nothing else of their area. */
export type NarrowScope = Extract<(typeof kinds)[Kind], { narrow: string }>['narrow'];

// `Object.keys` forgets that the keys of this constant are exactly the kinds.
const kindByPrefix = new Map<string, Kind>((Object.keys(kinds) as Kind[]).map((kind) => [kinds[kind].prefix, kind]));

/** 26 digits of Crockford's base 32 in lower case; the first is at most 7, because 26 digits hold 130 bits. */
const idForm = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** Tells which kind an id is of by its form alone, or null for text that is no id of ours. */
export function kindOfId(id: string): Kind | null {
  const prefix = idForm.exec(id)?.[1];
  return prefix === undefined ? null : (kindByPrefix.get(prefix) ?? null);
}

/**
 * Tells which kind an id is of that is known to be one, such as that of a row; null for a prefix that no kind has. A page of a
 * list asks this a hundred times, and the form need not be looked at again.
 */
export function kindByPrefixOf(id: string): Kind | null {
  return kindByPrefix.get(id.slice(0, id.indexOf('_'))) ?? null;
}

/** Tells whether text is the name of a kind. */
export function isKind(name: string): name is Kind {
  return Object.hasOwn(kinds, name);
}

/** Tells the area of a kind; null for what every key may see: accounts and requests. */
export function areaOf(kind: Kind): Area | null {
  const properties = kinds[kind];
  return 'area' in properties ? properties.area : null;
}

/** Tells the narrow scope that is enough for the objects of a kind; null where there is none. */
export function narrowScopeOf(kind: Kind): NarrowScope | null {
  const properties = kinds[kind];
  return 'narrow' in properties ? properties.narrow : null;
}

/** Tells whether a kind has a REST collection. */
export function hasCollection(kind: Kind): kind is CollectionKind {
  return 'path' in kinds[kind];
}

/** Tells whether text has the form of an id of this kind. Text that has not names nothing, and never reaches a query. */
export function isIdOf(kind: Kind, id: string): boolean {
  return kindOfId(id) === kind;
}

/** Makes the next id of a kind. */
export type NewId = (kind: Kind) => string;

/**
 * Creates a maker of ids in the TypeID format: prefix, `_`, and 26 digits of a UUIDv7. Ids of one maker increase
 * strictly, also within a millisecond and when the clock goes back, so that the order of ids is the order of creation.
 *
 * @param now milliseconds since 1970
 * @param randomBytes gives as many random bytes as asked for
 */
export function createNewId(now: () => number, randomBytes: (size: number) => Uint8Array): NewId {
  let lastMs = 0;
  let sequence = 0;
  return (kind) => {
    const ms = now();
    if (ms > lastMs) {
      lastMs = ms;
      // Half of the range stays free for counting on within the millisecond (RFC 9562, section 6.2, method 1).
      sequence = Buffer.from(randomBytes(4)).readUInt32BE() & 0x7fffffff;
    } else {
      sequence += 1;
    }
    const bytes = v7({ msecs: lastMs, seq: sequence, random: randomBytes(16) }, Buffer.alloc(16));
    return `${kinds[kind].prefix}_${encodeBase32(bytes)}`;
  };
}

/**
 * Gives what stands between the ids of a kind that were made before a moment and those made from it on. It is no id itself.
 *
 * @param moment from 1970 on
 */
export function idBoundAt(kind: Kind, moment: Date): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.min(Math.max(moment.getTime(), 0), 2 ** 48 - 1), 0, 6);
  return `${kinds[kind].prefix}_${encodeBase32(bytes)}`;
}

/** The digits of ids. */
export const crockford = '0123456789abcdefghjkmnpqrstvwxyz';

/** Writes 128 bits as 26 digits. Lower case sorts the same under every collation, unlike base 62. */
function encodeBase32(bytes: Uint8Array): string {
  let digits = '';
  // Two zeros in front: 26 digits hold 130 bits.
  let waiting = 2;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    waiting += 8;
    while (waiting >= 5) {
      waiting -= 5;
      digits += crockford.charAt((value >>> waiting) & 31);
    }
    value &= (1 << waiting) - 1;
  }
  return digits;
}
