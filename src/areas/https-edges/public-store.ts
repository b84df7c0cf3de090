// What anybody with the id of a route may read: the service provider of its SAML module.

import type { ServiceProvider } from '../../domain/saml/service-provider.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import type { ServerReads } from '../../storage/objects/server-scope.ts';
import { sql } from '../../storage/sql/statement.ts';

/** Reads the service provider of a route; null if there is no such route, or it has no registration of its own. */
export async function readServiceProvider(database: ServerReads, routeId: string): Promise<ServiceProvider | null> {
  if (!isIdOf('HttpsEdgeRoute', routeId)) return null;
  const [found] = await database.rows(
    sql`SELECT "certificatePem", "encryptionCertificatePem", "nameidFormat", COALESCE("nextCertificatePem", "formerCertificatePem")
      FROM "SamlModule"
      WHERE "routeId" = ${routeId} AND "loginRouteId" IS NULL`,
  );
  if (found === undefined) return null;
  const [certificatePem, encryptionCertificatePem, nameidFormat, otherCertificatePem] = found;
  return {
    certificatePem: String(certificatePem),
    otherCertificatePem: otherCertificatePem == null ? null : String(otherCertificatePem),
    encryptionCertificatePem: encryptionCertificatePem === null ? null : String(encryptionCertificatePem),
    nameidFormat: String(nameidFormat),
  };
}
