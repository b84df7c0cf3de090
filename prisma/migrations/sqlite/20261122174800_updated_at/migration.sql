-- When objects were last changed: the time of the last event of each, as far as the trail goes back, or else that of its creation.
-- A new column needs a default. No write of this version leaves it there.

-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN "updatedAt" DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000+00:00';

-- AlterTable
ALTER TABLE "TunnelGroupBackend" ADD COLUMN "updatedAt" DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000+00:00';

-- AlterTable
ALTER TABLE "HttpsEdge" ADD COLUMN "updatedAt" DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000+00:00';

-- AlterTable
ALTER TABLE "HttpsEdgeRoute" ADD COLUMN "updatedAt" DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000+00:00';

-- AlterTable
ALTER TABLE "SamlSession" ADD COLUMN "updatedAt" DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000+00:00';

-- AlterTable
ALTER TABLE "IpPolicy" ADD COLUMN "updatedAt" DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000+00:00';

-- AlterTable
ALTER TABLE "IpPolicyRule" ADD COLUMN "updatedAt" DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000+00:00';

-- AlterTable
ALTER TABLE "IpRestriction" ADD COLUMN "updatedAt" DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000+00:00';

-- AlterTable
ALTER TABLE "SshCertificateAuthority" ADD COLUMN "updatedAt" DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000+00:00';

-- AlterTable
ALTER TABLE "SshHostCertificate" ADD COLUMN "updatedAt" DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000+00:00';

-- AlterTable
ALTER TABLE "SshEnrollmentToken" ADD COLUMN "updatedAt" DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000+00:00';

-- AlterTable
ALTER TABLE "TlsEdge" ADD COLUMN "updatedAt" DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000+00:00';

UPDATE "ApiKey" SET "updatedAt" = coalesce((
  SELECT e."createdAt" FROM "AuditEvent" e
  WHERE "ApiKey"."version" > 1 AND e."accountId" = "ApiKey"."accountId" AND e."objectId" = "ApiKey"."id"
  ORDER BY e."version" DESC LIMIT 1
), "createdAt");
UPDATE "TunnelGroupBackend" SET "updatedAt" = coalesce((
  SELECT e."createdAt" FROM "AuditEvent" e
  WHERE "TunnelGroupBackend"."version" > 1 AND e."accountId" = "TunnelGroupBackend"."accountId" AND e."objectId" = "TunnelGroupBackend"."id"
  ORDER BY e."version" DESC LIMIT 1
), "createdAt");
UPDATE "HttpsEdge" SET "updatedAt" = coalesce((
  SELECT e."createdAt" FROM "AuditEvent" e
  WHERE "HttpsEdge"."version" > 1 AND e."accountId" = "HttpsEdge"."accountId" AND e."objectId" = "HttpsEdge"."id"
  ORDER BY e."version" DESC LIMIT 1
), "createdAt");
UPDATE "HttpsEdgeRoute" SET "updatedAt" = coalesce((
  SELECT e."createdAt" FROM "AuditEvent" e
  WHERE "HttpsEdgeRoute"."version" > 1 AND e."accountId" = "HttpsEdgeRoute"."accountId" AND e."objectId" = "HttpsEdgeRoute"."id"
  ORDER BY e."version" DESC LIMIT 1
), "createdAt");
-- Sessions never change.
UPDATE "SamlSession" SET "updatedAt" = "createdAt";
UPDATE "IpPolicy" SET "updatedAt" = coalesce((
  SELECT e."createdAt" FROM "AuditEvent" e
  WHERE "IpPolicy"."version" > 1 AND e."accountId" = "IpPolicy"."accountId" AND e."objectId" = "IpPolicy"."id"
  ORDER BY e."version" DESC LIMIT 1
), "createdAt");
UPDATE "IpPolicyRule" SET "updatedAt" = coalesce((
  SELECT e."createdAt" FROM "AuditEvent" e
  WHERE "IpPolicyRule"."version" > 1 AND e."accountId" = "IpPolicyRule"."accountId" AND e."objectId" = "IpPolicyRule"."id"
  ORDER BY e."version" DESC LIMIT 1
), "createdAt");
UPDATE "IpRestriction" SET "updatedAt" = coalesce((
  SELECT e."createdAt" FROM "AuditEvent" e
  WHERE "IpRestriction"."version" > 1 AND e."accountId" = "IpRestriction"."accountId" AND e."objectId" = "IpRestriction"."id"
  ORDER BY e."version" DESC LIMIT 1
), "createdAt");
UPDATE "SshCertificateAuthority" SET "updatedAt" = coalesce((
  SELECT e."createdAt" FROM "AuditEvent" e
  WHERE "SshCertificateAuthority"."version" > 1 AND e."accountId" = "SshCertificateAuthority"."accountId" AND e."objectId" = "SshCertificateAuthority"."id"
  ORDER BY e."version" DESC LIMIT 1
), "createdAt");
UPDATE "SshHostCertificate" SET "updatedAt" = coalesce((
  SELECT e."createdAt" FROM "AuditEvent" e
  WHERE "SshHostCertificate"."version" > 1 AND e."accountId" = "SshHostCertificate"."accountId" AND e."objectId" = "SshHostCertificate"."id"
  ORDER BY e."version" DESC LIMIT 1
), "createdAt");
UPDATE "SshEnrollmentToken" SET "updatedAt" = coalesce((
  SELECT e."createdAt" FROM "AuditEvent" e
  WHERE "SshEnrollmentToken"."version" > 1 AND e."accountId" = "SshEnrollmentToken"."accountId" AND e."objectId" = "SshEnrollmentToken"."id"
  ORDER BY e."version" DESC LIMIT 1
), "createdAt");
UPDATE "TlsEdge" SET "updatedAt" = coalesce((
  SELECT e."createdAt" FROM "AuditEvent" e
  WHERE "TlsEdge"."version" > 1 AND e."accountId" = "TlsEdge"."accountId" AND e."objectId" = "TlsEdge"."id"
  ORDER BY e."version" DESC LIMIT 1
), "createdAt");
