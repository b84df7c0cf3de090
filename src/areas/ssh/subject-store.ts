// Finds, across all accounts, what a host without an API key acts for: a certificate by its id, or an enrollment token.

import { isEnrollmentToken, isMeantForEnrollment, unknownEnrollmentToken } from '../../domain/access/api-token.ts';
import { notFound } from '../../domain/errors.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import type { ServerReads } from '../../storage/objects/server-scope.ts';
import { type Sql, sql } from '../../storage/sql/statement.ts';

/**
 * Creates a function that finds a certificate by its id, or an enrollment token by the token itself. The function throws NOT_FOUND
 * for a certificate that does not exist or was deleted, and UNAUTHENTICATED for an unknown token.
 */
export function createSubjectFinder(database: ServerReads) {
  const find = async (from: Sql) => {
    const [found] = await database.rows(sql`SELECT "id", "accountId", "description" FROM ${from}`);
    if (found === undefined) return null;
    const [id, accountId, description] = found.map(String);
    return { id: id ?? '', accountId: accountId ?? '', description: description ?? '' };
  };
  return async (name: string) => {
    if (!isMeantForEnrollment(name)) {
      const found = isIdOf('SshHostCertificate', name)
        ? await find(sql`"SshHostCertificate" WHERE "id" = ${name}`)
        : null;
      if (found === null) throw notFound();
      return found;
    }
    const found = isEnrollmentToken(name)
      ? await find(sql`"SshEnrollmentToken" WHERE "tokenHash" = ${hashOf(name)}`)
      : null;
    if (found === null) throw unknownEnrollmentToken();
    return found;
  };
}
