// Parses the URL of a PostgreSQL database.

import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { isSessionKind, type SessionKind, sessionKinds } from './sessions.ts';

/** Where a database is. */
export interface Address {
  /**
   * For the driver, one for each host of the URL. The certificate files that the URL names have already been read, so that no later
   * connection can lack one.
   */
  readonly hosts: readonly Host[];
  /** Which of the hosts to use, as `target_session_attrs` says. */
  readonly session: SessionKind;
  /** For people: never with a password. */
  readonly name: string;
  /** Whether there is a pooler in between that gives each transaction another session, in which nothing can be prepared. */
  readonly behindPooler: boolean;
}

export interface Host {
  readonly config: ClientConfig;
  /** `host:port` as in the URL, or the directory of a socket. */
  readonly name: string;
}

/** Prisma's own URL parameters. PostgreSQL refuses parameters that it does not know. */
const ours = ['pgbouncer', 'schema', 'connection_limit', 'pool_timeout', 'target_session_attrs'];

/** Values of `sslmode` that the driver knows; any other would mean the same as `verify-full`. */
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
/** Values that the driver treats as `verify-full`, with a warning that a later version will check less. */
const strictSslModes = ['prefer', 'require', 'verify-ca'];

/** The parts of a URL: everything up to the hosts, the hosts, and the rest. */
const parts = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/;

/**
 * Parses a URL, `postgresql://user:password@host:port,host:port/database`, with the parameters that the driver knows. Several hosts
 * and `target_session_attrs` mean what they mean to libpq ("Connection URIs" in PostgreSQL's manual).
 *
 * @throws Error that says what is wrong without repeating the URL, which may hold a password; also if a certificate cannot be read
 */
export function readUrl(text: string): Address {
  const [, before = '', named = '', after = ''] = parts.exec(text) ?? [];
  const urls = named.split(',').map((host) => `${before}${host}${after}`);
  const [first = ''] = urls;
  if (!urls.every((url) => URL.canParse(url))) {
    throw new Error('must be a URL like postgresql://user:password@host:5432/database');
  }
  const url = new URL(first);
  if (url.pathname.length < 2) throw new Error('must name a database: postgresql://user:password@host:5432/database');
  if ((url.searchParams.get('schema') ?? 'public') !== 'public') {
    throw new Error('schema must be public. To use another one, give the role a search_path');
  }
  const sslMode = url.searchParams.get('sslmode');
  if (sslMode !== null && !sslModes.includes(sslMode)) throw new Error(`sslmode must be one of ${sslModes.join(', ')}`);
  const session = url.searchParams.get('target_session_attrs') ?? 'any';
  if (!isSessionKind(session)) throw new Error(`target_session_attrs must be one of ${sessionKinds.join(', ')}`);
  const hosts = hostsOf(urls.map((one) => new URL(one)));
  return {
    hosts,
    session,
    name: `postgresql://${hosts.map(({ name }) => name).join(',')}${url.pathname}`,
    behindPooler: url.searchParams.get('pgbouncer') === 'true',
  };
}

/** Returns the hosts of a URL that was split by its hosts. As in libpq, the parameters `host` and `port` take their place. */
function hostsOf(urls: readonly URL[]): Host[] {
  const [{ searchParams }] = urls as [URL]; // a split text has at least one part
  const hosts = searchParams.get('host')?.split(',');
  const ports = searchParams.get('port')?.split(',') ?? [];
  if (hosts === undefined && ports.length <= 1) return urls.map((url) => hostAt(url, url.host));
  const count = hosts?.length ?? urls.length;
  if (ports.length > 1 && ports.length !== count) {
    throw new Error(`names ${count} hosts, but ${ports.length} ports: give one port for all, or one for each`);
  }
  return Array.from({ length: count }, (_, index) => {
    const url = new URL((hosts === undefined ? urls[index] : urls[0]) as URL); // there are `count` of them
    const host = hosts?.[index];
    const port = ports[index] ?? ports[0];
    if (host !== undefined) url.searchParams.set('host', host);
    if (port !== undefined) url.searchParams.set('port', port);
    const name = `${host ?? url.hostname}${port === undefined ? '' : `:${port}`}`;
    return hostAt(url, name);
  });
}

function hostAt(url: URL, name: string): Host {
  const own = new URL(url);
  for (const parameter of ours) own.searchParams.delete(parameter);
  const sslMode = own.searchParams.get('sslmode');
  if (sslMode !== null && strictSslModes.includes(sslMode) && own.searchParams.get('uselibpqcompat') !== 'true') {
    own.searchParams.set('sslmode', 'verify-full');
  }
  return { config: readConfig(own.href), name };
}

function readConfig(connectionString: string): ClientConfig {
  try {
    return parseIntoClientConfig(connectionString);
  } catch (error) {
    const { code, path } = error as { code?: unknown; path?: unknown }; // what Node adds when a file cannot be read
    const why =
      typeof path === 'string' ? `names a certificate that cannot be read (${String(code)}): ${path}` : 'is malformed';
    throw new Error(why, { cause: error });
  }
}
