-- Counters that hold bounds in the statement that writes, and versions of what IP policies decide.

-- AlterTable
ALTER TABLE "HttpsEdge" ADD COLUMN "routeCount" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "HttpsEdge" ADD COLUMN "moduleBytes" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "SamlModule" ADD COLUMN "bytes" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "IpPolicy" ADD COLUMN "ruleCount" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "IpPolicy" ADD COLUMN "rulesVersion" INTEGER NOT NULL DEFAULT 0;

-- The counters of what is there already.
UPDATE "SamlModule" SET "bytes" = length(CAST("idpMetadata" AS BLOB)) + length(CAST("authorizedGroups" AS BLOB));
UPDATE "HttpsEdge" SET
    "routeCount" = (SELECT count(*) FROM "HttpsEdgeRoute" WHERE "edgeId" = "HttpsEdge"."id"),
    "moduleBytes" = (
        SELECT coalesce(sum("SamlModule"."bytes"), 0)
        FROM "HttpsEdgeRoute" JOIN "SamlModule" ON "SamlModule"."routeId" = "HttpsEdgeRoute"."id"
        WHERE "HttpsEdgeRoute"."edgeId" = "HttpsEdge"."id"
    );
UPDATE "IpPolicy" SET "ruleCount" = (SELECT count(*) FROM "IpPolicyRule" WHERE "ipPolicyId" = "IpPolicy"."id");

-- The restrictions of a type are read page by page, in the order of their ids.
DROP INDEX "IpRestriction_accountId_type_idx";
CREATE INDEX "IpRestriction_accountId_type_id_idx" ON "IpRestriction"("accountId", "type", "id");

-- The newest of a list inside of an object are read without the others.
DROP INDEX "IpRestrictionPolicy_ipPolicyId_idx";
CREATE INDEX "IpRestrictionPolicy_ipPolicyId_ipRestrictionId_idx" ON "IpRestrictionPolicy"("ipPolicyId", "ipRestrictionId");
DROP INDEX "TlsBackendModule_backendId_idx";
CREATE INDEX "TlsBackendModule_backendId_edgeId_idx" ON "TlsBackendModule"("backendId", "edgeId");
CREATE INDEX "IpPolicyRule_ipPolicyId_id_idx" ON "IpPolicyRule"("ipPolicyId", "id");
CREATE INDEX "SshHostCertificate_sshCertificateAuthorityId_id_idx" ON "SshHostCertificate"("sshCertificateAuthorityId", "id");
CREATE INDEX "SshHostCertificate_sshCertificateAuthorityId_validUntil_id_idx" ON "SshHostCertificate"("sshCertificateAuthorityId", "validUntil", "id");
