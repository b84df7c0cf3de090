// The surroundings of a PostgreSQL database: its version, its text, its durability, its network.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { remedies } from '../../domain/remedies.ts';
import type { Check } from '../engine.ts';
import { fail, ok, warn } from '../lifecycle/health.ts';
import { createServerReads } from '../objects/server-scope.ts';
import { postgresDialect } from './dialect.ts';
import { checkTransactions } from './open-transactions.ts';
import type { Address } from './url.ts';

/** Checks what the server and its administrator decide, not this program. */
export async function checkSurroundings(database: SqlQueryable, address: Address): Promise<Check[]> {
  // Since version 15, PostgreSQL has other providers of locales than the system. The order of its built-in one never changes; with
  // ICU, `datcollate` is not the locale that sorts.
  const sql =
    "SELECT CASE to_jsonb(d)->>'datlocprovider' WHEN 'b' THEN 'C' WHEN 'i' THEN 'ICU' ELSE d.datcollate END, " +
    'pg_encoding_to_char(d.encoding), current_setting($1), current_setting($2), ' +
    "coalesce(NOT host(inet_client_addr()) ~ '^(127[.]|::1$)' AND NOT s.ssl, false), " +
    "pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' " +
    'FROM pg_database d, pg_stat_ssl s WHERE d.datname = current_database() AND s.pid = pg_backend_pid()';
  const text = { scalarType: 'string', arity: 'scalar' } as const;
  const { rows } = await database.queryRaw({ sql, args: ['server_version', 'fsync'], argTypes: [text, text] });
  const [collation, encoding, version, fsync, inTheOpen, isReadOnly] = (rows[0] ?? []).map(String);
  const checks: Check[] = [ok('database', `${address.name} is PostgreSQL ${version}.`)];
  if (isReadOnly === 'true') {
    checks.push(
      fail(
        'standby',
        'The database takes no writes: it is a standby, or read-only. A server that starts on it waits.',
        `Let ${remedies.setDatabaseUrl} name the primary, or name all hosts with target_session_attrs=read-write.`,
      ),
    );
  }
  if (encoding !== 'UTF8') {
    checks.push(
      fail(
        'encoding',
        `The database stores text as ${encoding}, which cannot hold every character.`,
        "Create a database with ENCODING 'UTF8' and move the data there.",
      ),
    );
  }
  if (collation !== 'C' && collation !== 'C.UTF-8' && collation !== 'C.utf8') {
    checks.push(
      warn(
        'collation',
        `The database sorts text by ${collation}: its indexes break when the system's locale data changes.`,
        "Create the database with LOCALE 'C' or 'C.UTF-8', or reindex after each upgrade of the system.",
      ),
    );
  }
  if (fsync !== 'on') {
    checks.push(
      fail('durability', 'The server runs with fsync = off: a power cut may destroy the database.', 'Set fsync = on.'),
    );
  }
  if (inTheOpen === 'true') {
    checks.push(
      warn(
        'encryption',
        'Connections to the database cross a network without TLS.',
        `Add sslmode=verify-full to ${remedies.setDatabaseUrl}, and sslrootcert=<file> if the certificate is from your own authority.`,
      ),
    );
  }
  return [...checks, await checkTransactions(createServerReads(database, postgresDialect))];
}
