// Validation of expectations. Pure.

import {
  type ExpectationKind,
  type Expected,
  type ExpectedOutcome,
  expectationKinds,
  expectedOutcomes,
  outcomeInWords,
  type Question,
} from '../../domain/access/expected.ts';
import { invalid } from '../../domain/errors.ts';
import { splitUrl } from '../../domain/gate/url.ts';
import { formatRange, parseAddress, parseRange } from '../../domain/ip/cidr.ts';
import type { RestrictionType } from '../../domain/ip/restriction-types.ts';
import { readChoice, readTextList } from '../../domain/values/decode.ts';
import { checkText } from '../../domain/values/text.ts';

/** Most expectations of an account: each is asked before every change that it depends on. */
export const expectationsMax = 200;
/** Longest name, in bytes of UTF-8. */
export const nameBytesMax = 100;
/** Longest URL, in bytes. */
export const urlBytesMax = 2_000;
/** Longest name of a server or host, in bytes. */
export const hostBytesMax = 255;
/** Longest method, in bytes. */
export const methodBytesMax = 32;
/** Most groups of a user, and the longest, in bytes of UTF-8. */
export const groupsMax = 100;
export const groupBytesMax = 255;

/** What is given of an expectation; empty, null or absent for what is not. */
export interface ExpectationInput {
  readonly name: string;
  readonly kind: ExpectationKind;
  readonly expected: ExpectedOutcome;
  readonly address?: string | null | undefined;
  readonly trafficType?: RestrictionType | null | undefined;
  readonly httpsEdgeId?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly method?: string | null | undefined;
  readonly signedIn?: boolean | null | undefined;
  readonly groups?: readonly string[] | null | undefined;
  readonly tlsEdgeId?: string | null | undefined;
  readonly serverName?: string | null | undefined;
  readonly logged?: boolean | null | undefined;
  readonly hostName?: string | null | undefined;
  readonly sshCertificateAuthorityId?: string | null | undefined;
}

type Field = Exclude<keyof ExpectationInput, 'name' | 'kind' | 'expected'>;

/** The fields of each kind. Any other must not be given. */
const fieldsOf: Readonly<
  Record<ExpectationKind, { readonly needed: readonly Field[]; readonly possible: readonly Field[] }>
> = {
  ip: { needed: ['address', 'trafficType'], possible: [] },
  gate: { needed: ['address', 'httpsEdgeId', 'url'], possible: ['method', 'signedIn', 'groups'] },
  tls: { needed: ['address', 'tlsEdgeId'], possible: ['serverName', 'logged'] },
  renewal: { needed: ['hostName'], possible: ['address'] },
  enrollment: { needed: ['hostName'], possible: ['address', 'sshCertificateAuthorityId'] },
};

const allFields = [...new Set(Object.values(fieldsOf).flatMap(({ needed, possible }) => [...needed, ...possible]))];

/**
 * Checks an expectation and returns its columns.
 *
 * @throws INVALID_INPUT with the field, also for one that its kind does not have or lacks
 */
export function columnsOf(input: ExpectationInput) {
  const { kind, expected } = input;
  const { needed, possible } = fieldsOf[kind];
  for (const field of allFields) {
    const isMissing = isEmpty(field, input[field]);
    if (isMissing && needed.includes(field)) throw invalid(field, `must be given for the kind ${kind}.`);
    if (!isMissing && !needed.includes(field) && !possible.includes(field)) {
      throw invalid(field, `must not be given for the kind ${kind}, which does not ask for it.`);
    }
  }
  if (expected === 'login' && kind !== 'gate') throw invalid('expected', 'can be login only for the kind gate.');
  const groups = (input.groups ?? []).map((group, index) => checkGroup(`groups[${index}]`, group));
  if (groups.length > groupsMax) throw invalid('groups', `must have at most ${groupsMax} entries.`);
  if (groups.length > 0 && input.signedIn !== true) throw invalid('groups', 'need `signedIn`: only users have groups.');
  if (expected === 'login' && input.signedIn === true) {
    throw invalid('expected', 'cannot be login for a user who has logged in.');
  }
  return {
    name: checkName(input.name),
    kind,
    expected,
    address: checkAddress(kind, input.address ?? ''),
    trafficType: input.trafficType ?? '',
    httpsEdgeId: input.httpsEdgeId || null,
    url: checkUrl(input.url ?? ''),
    method: kind === 'gate' ? checkMethod(input.method || 'GET') : '',
    signedIn: input.signedIn ?? false,
    groups: [...new Set(groups)],
    tlsEdgeId: input.tlsEdgeId || null,
    serverName: checkText('serverName', input.serverName ?? '', hostBytesMax),
    logged: input.logged ?? null,
    hostName: checkText('hostName', input.hostName ?? '', hostBytesMax),
    sshCertificateAuthorityId: input.sshCertificateAuthorityId || null,
  };
}

function isEmpty(field: Field, value: unknown): boolean {
  // Not to be logged is expected of a connection; not to have logged in is what is assumed of everybody.
  if (value === false) return field === 'signedIn';
  return value == null || value === '' || (Array.isArray(value) && value.length === 0);
}

function checkName(name: string): string {
  checkText('name', name, nameBytesMax);
  if (name.trim() === '') throw invalid('name', 'must not be empty: messages name the expectation by it.');
  return name;
}

function checkAddress(kind: ExpectationKind, address: string): string {
  if (address === '') return '';
  if (!address.includes('/')) return parseAddress('address', address).toString();
  if (kind !== 'ip') throw invalid('address', `must be one address: only the kind ip asks about ranges.`);
  const canonical = formatRange(parseRange('address', address));
  if (canonical !== address)
    throw invalid('address', `must be in the canonical form of the range: write ${canonical}.`);
  return address;
}

function checkUrl(url: string): string {
  checkText('url', url, urlBytesMax);
  if (url === '' || splitUrl(url) !== null) return url;
  throw invalid('url', 'must be a URL with scheme, host and path, such as https://app.example.com/admin.');
}

function checkMethod(method: string): string {
  checkText('method', method, methodBytesMax);
  if (!/^[A-Z]+$/.test(method)) throw invalid('method', 'must be a method in capital letters, such as POST.');
  return method;
}

function checkGroup(field: string, group: string): string {
  checkText(field, group, groupBytesMax);
  if (group === '') throw invalid(field, 'must not be empty.');
  return group;
}

export interface StoredExpectation extends Omit<Question, 'kind' | 'groups'> {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly expected: string;
  readonly signedIn: boolean;
  readonly groups: unknown;
  readonly logged: boolean | null;
}

/** Returns what a stored expectation asks. */
export function questionOf(stored: StoredExpectation): Question {
  const { signedIn, groups } = stored;
  return {
    ...stored,
    kind: readChoice(expectationKinds, stored.kind),
    groups: signedIn ? readTextList(groups) : null,
  };
}

/** Returns what a stored expectation expects. */
export function expectedOf({ expected, logged }: StoredExpectation): Expected {
  return { expected: readChoice(expectedOutcomes, expected), logged };
}

/** Says what is asked, as a noun: `203.0.113.7 at https://wiki.example.com/`. */
export function questionInWords({
  kind,
  address,
  trafficType,
  url,
  method,
  groups,
  serverName,
  hostName,
}: Question): string {
  const from = address === '' ? '' : ` from ${address}`;
  switch (kind) {
    case 'ip':
      return `${address} at ${trafficType}`;
    case 'gate': {
      const user = groups === null ? '' : ` by a user of ${groups.length === 0 ? 'no group' : groups.join(', ')}`;
      return `${method} ${url}${from}${user}`;
    }
    case 'tls':
      return `a connection${serverName === '' ? '' : ` for ${serverName}`}${from}`;
    case 'renewal':
      return `a renewal for ${hostName}${from}`;
    case 'enrollment':
      return `an enrollment of ${hostName}${from}`;
  }
}

/** Says what is expected: `allowed`, `refused and logged`. */
export function expectedInWords({ expected, logged }: Expected): string {
  return outcomeInWords(expected, logged);
}
