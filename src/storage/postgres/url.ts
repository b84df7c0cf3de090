// Parses the URL of a PostgreSQL database.

import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

/** Where a database is. */
export interface Address {
  /** For the driver. The certificate files that the URL names have already been read, so that no later connection can lack one. */
  readonly config: ClientConfig;
  /** For people: never with a password. */
  readonly name: string;
  /** Whether there is a pooler in between that gives each transaction another session, in which nothing can be prepared. */
  readonly behindPooler: boolean;
}

/** Prisma's own URL parameters. PostgreSQL refuses parameters that it does not know. */
const ours = ['pgbouncer', 'schema', 'connection_limit', 'pool_timeout'];

/** Values of `sslmode` that the driver knows; any other would mean the same as `verify-full`. */
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
/** Values that the driver treats as `verify-full`, with a warning that a later version will check less. */
const strictSslModes = ['prefer', 'require', 'verify-ca'];

/**
 * Parses a URL, `postgresql://user:password@host:port/database`, with the parameters that the driver knows.
 *
 * @throws Error that says what is wrong without repeating the URL, which may hold a password; also if a certificate cannot be read
 */
export function readUrl(text: string): Address {
  if (!URL.canParse(text)) throw new Error('must be a URL like postgresql://user:password@host:5432/database');
  const url = new URL(text);
  if (url.pathname.length < 2) throw new Error('must name a database: postgresql://user:password@host:5432/database');
  if ((url.searchParams.get('schema') ?? 'public') !== 'public') {
    throw new Error('schema must be public. To use another one, give the role a search_path');
  }
  const behindPooler = url.searchParams.get('pgbouncer') === 'true';
  for (const parameter of ours) url.searchParams.delete(parameter);
  const sslMode = url.searchParams.get('sslmode');
  if (sslMode !== null && !sslModes.includes(sslMode)) throw new Error(`sslmode must be one of ${sslModes.join(', ')}`);
  if (sslMode !== null && strictSslModes.includes(sslMode) && url.searchParams.get('uselibpqcompat') !== 'true') {
    url.searchParams.set('sslmode', 'verify-full');
  }
  const config = readConfig(url.href);
  const host = url.searchParams.get('host') ?? url.host;
  return { config, name: `postgresql://${host}${url.pathname}`, behindPooler };
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
