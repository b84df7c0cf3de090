// The variables of a connection for expressions of traffic policies: those that the API family documents for TLS. Pure.

import { invalid, SallyportError } from '../../../domain/errors.ts';
import { type Address, parseAddress } from '../../../domain/ip/cidr.ts';
import { checkJson, isJsonObject } from '../../../domain/values/json.ts';
import { checkText } from '../../../domain/values/text.ts';
import { formatTimestamp, parseTimestamp } from '../../../domain/values/time.ts';

/** Most bytes in the text of a variable, and in all variables of a connection together. */
export const variablesBytesMax = 16_384;
/** Deepest nesting in the variables of a connection. */
const variableDepthMax = 8;

const timestamp = 'google.protobuf.Timestamp';
const certificate = {
  extensions: 'list',
  issuer: 'dyn',
  san: 'dyn',
  serial_number: 'string',
  signature_algorithm: 'string',
  subject: 'dyn',
  validity: { not_after: timestamp, not_before: timestamp },
};

/** The variables and their CEL types. The names in a certificate may be text or objects, so their type is open. */
export const variableTypes = {
  conn: {
    client_ip: 'string',
    client_port: 'int',
    geo: {
      city: 'string',
      country: 'string',
      country_code: 'string',
      latitude: 'string',
      longitude: 'string',
      radius: 'string',
      subdivision: 'string',
    },
    server_ip: 'string',
    server_name: 'string',
    server_port: 'int',
    server_region: 'string',
    tls: { cipher_suite: 'string', client: certificate, server: certificate, sni: 'string', version: 'string' },
    ts: { start: timestamp },
  },
  endpoint: { addr: 'string', host: 'string', id: 'string', port: 'int', protocol: 'string', url: 'string' },
  time: { now: 'string' },
  actions: { ngrok: { restrict_ips: { action: 'string', matched_cidr: 'string' } } },
} as const;

/** The types of variables, nested in groups. */
export interface TypeGroup {
  readonly [name: string]: string | TypeGroup;
}

/** The values of variables, nested in the same groups. A variable that the connection does not define is absent. */
export interface ValueGroup {
  [name: string]: unknown;
}

/** A connection as the client describes it. */
export interface ConnectionInput {
  readonly clientIp: string;
  readonly serverName?: string | null | undefined;
  readonly time?: string | null | undefined;
  readonly variables?: unknown;
}

export interface Connection {
  readonly address: Address;
  readonly values: ValueGroup;
}

/**
 * Reads a connection.
 *
 * @param now the start of the connection if it has no `time`
 * @throws INVALID_INPUT for a value of the wrong type for its variable, UNKNOWN_FIELD for a variable that does not exist
 */
export function readConnection({ clientIp, serverName, time, variables }: ConnectionInput, now: Date): Connection {
  const address = parseAddress('connection.clientIp', clientIp);
  const start = time == null ? now : parseTimestamp('connection.time', time);
  const values = emptyGroup(variableTypes);
  const set = (path: string, value: unknown) => setAt(values, path.split('.'), value);
  set('conn.client_ip', String(address));
  set('conn.ts.start', start);
  set('time.now', formatTimestamp(start));
  set('endpoint.protocol', 'tls');
  if (serverName != null) {
    checkText('connection.serverName', serverName, 255);
    // Host names are case-insensitive (RFC 6066, section 3).
    set('conn.server_name', serverName.toLowerCase());
    set('conn.tls.sni', serverName.toLowerCase());
  }
  if (variables == null) return { address, values };
  const field = 'connection.variables';
  if (!isJsonObject(variables)) throw invalid(field, 'must be an object of values by the names of their variables.');
  checkJson(field, variables, variableDepthMax, variablesBytesMax);
  if (Buffer.byteLength(JSON.stringify(variables)) > variablesBytesMax) {
    throw invalid(field, `must have at most ${variablesBytesMax} bytes as JSON.`);
  }
  for (const [name, value] of Object.entries(variables)) set(name, readVariable(field, name, value));
  return { address, values };
}

/** Variables that are set from other arguments, so that `variables` must not contain them. */
const derived = ['conn.client_ip', 'conn.server_name', 'conn.tls.sni', 'conn.ts.start', 'time.now'];

function readVariable(field: string, name: string, value: unknown): unknown {
  const type = typeAt(name);
  if (type === undefined || name.startsWith('actions.')) {
    const shown = JSON.stringify(name.slice(0, 64));
    throw new SallyportError('UNKNOWN_FIELD', `has a variable that does not exist: ${shown}.`, { field });
  }
  if (derived.includes(name)) {
    throw invalid(field, `must not have ${name}: it follows from clientIp, serverName or time.`);
  }
  switch (type) {
    case 'string':
      if (typeof value !== 'string') throw invalid(field, `must have a string in ${name}.`);
      return value;
    case 'int':
      if (!Number.isInteger(value)) throw invalid(field, `must have a whole number in ${name}.`);
      return BigInt(Number(value));
    case timestamp:
      if (typeof value !== 'string') throw invalid(field, `must have an RFC 3339 timestamp in ${name}.`);
      return parseTimestamp(field, value);
    case 'list':
      if (!Array.isArray(value)) throw invalid(field, `must have a list in ${name}.`);
      return value;
    default:
      return value;
  }
}

/** Returns the type of a variable; undefined if there is no variable of this name. */
function typeAt(path: string): string | undefined {
  let at: string | TypeGroup | undefined = variableTypes;
  for (const name of path.split('.')) {
    at = typeof at === 'object' && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return typeof at === 'string' ? at : undefined;
}

/** Creates the groups without variables, so that `has` works on each of them. */
function emptyGroup(types: TypeGroup): ValueGroup {
  const groups = Object.entries(types).flatMap(([name, type]) =>
    typeof type === 'string' ? [] : [[name, emptyGroup(type)] as const],
  );
  return Object.fromEntries(groups);
}

/** Sets a variable. The groups on its path must exist. */
export function setAt(values: ValueGroup, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  const inner = values[name];
  if (rest.length === 0) values[name] = value;
  else if (isJsonObject(inner)) setAt(inner, rest, value);
}
