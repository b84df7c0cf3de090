-- The trail: its key finds its events by account and id, and two indexes find them by its filters.
DROP INDEX "AuditEvent_accountId_id_idx", "AuditEvent_action_accountId_id_idx", "AuditEvent_actor_action_accountId_id_idx",
    "AuditEvent_kind_action_accountId_id_idx";
ALTER TABLE "AuditEvent" DROP CONSTRAINT "AuditEvent_pkey", ADD CONSTRAINT "AuditEvent_pkey" PRIMARY KEY ("accountId", "id");
CREATE INDEX "AuditEvent_action_kind_accountId_id_idx" ON "AuditEvent"("action", "kind", "accountId", "id");

-- CreateTable
CREATE TABLE "ObjectCount" (
    "accountId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "slot" BIGINT NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "ObjectCount_pkey" PRIMARY KEY ("accountId","kind","slot")
)
-- Every change writes here: a new version of a row needs no entry in the index if there is room on its page.
WITH (fillfactor = 50);

-- Counts the rows that a statement has created or deleted, in rows in which no other transaction counts: it takes the first free number
-- until its end, without waiting. So transactions neither wait for each other here nor can they wait for each other in a circle. There
-- are as many rows of a kind as transactions have counted at the same time.
CREATE FUNCTION "countObjects"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE free int := 0; BEGIN
    WHILE NOT pg_try_advisory_xact_lock(1668248180, free) LOOP free := free + 1; END LOOP;
    INSERT INTO "ObjectCount" AS "known" ("accountId", "kind", "slot", "count")
        SELECT "accountId", TG_TABLE_NAME, free, TG_ARGV[0]::int * count(*) FROM "moved" GROUP BY "accountId"
        ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "known"."count" + excluded."count";
    RETURN NULL; END $$;

-- Counts what is created and deleted from now on, and then what there is (prisma/counting.ts).
CREATE TRIGGER "ApiKey_created" AFTER INSERT ON "ApiKey" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "ApiKey_deleted" AFTER DELETE ON "ApiKey" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "DashboardSession_created" AFTER INSERT ON "DashboardSession" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "DashboardSession_deleted" AFTER DELETE ON "DashboardSession" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "ApprovalSettings_created" AFTER INSERT ON "ApprovalSettings" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "ApprovalSettings_deleted" AFTER DELETE ON "ApprovalSettings" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "ApprovalRequest_created" AFTER INSERT ON "ApprovalRequest" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "ApprovalRequest_deleted" AFTER DELETE ON "ApprovalRequest" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "AuditCheckpoint_created" AFTER INSERT ON "AuditCheckpoint" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "AuditCheckpoint_deleted" AFTER DELETE ON "AuditCheckpoint" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "AuditEvent_created" AFTER INSERT ON "AuditEvent" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "AuditEvent_deleted" AFTER DELETE ON "AuditEvent" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "TunnelGroupBackend_created" AFTER INSERT ON "TunnelGroupBackend" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "TunnelGroupBackend_deleted" AFTER DELETE ON "TunnelGroupBackend" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "Expectation_created" AFTER INSERT ON "Expectation" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "Expectation_deleted" AFTER DELETE ON "Expectation" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "HttpsEdge_created" AFTER INSERT ON "HttpsEdge" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "HttpsEdge_deleted" AFTER DELETE ON "HttpsEdge" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "HttpsEdgeRoute_created" AFTER INSERT ON "HttpsEdgeRoute" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "HttpsEdgeRoute_deleted" AFTER DELETE ON "HttpsEdgeRoute" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "LoginSession_created" AFTER INSERT ON "LoginSession" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "LoginSession_deleted" AFTER DELETE ON "LoginSession" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "IpPolicy_created" AFTER INSERT ON "IpPolicy" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "IpPolicy_deleted" AFTER DELETE ON "IpPolicy" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "IpPolicyRule_created" AFTER INSERT ON "IpPolicyRule" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "IpPolicyRule_deleted" AFTER DELETE ON "IpPolicyRule" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "IpPolicySource_created" AFTER INSERT ON "IpPolicySource" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "IpPolicySource_deleted" AFTER DELETE ON "IpPolicySource" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "IpRestriction_created" AFTER INSERT ON "IpRestriction" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "IpRestriction_deleted" AFTER DELETE ON "IpRestriction" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "Role_created" AFTER INSERT ON "Role" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "Role_deleted" AFTER DELETE ON "Role" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "SignInProvider_created" AFTER INSERT ON "SignInProvider" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "SignInProvider_deleted" AFTER DELETE ON "SignInProvider" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "Person_created" AFTER INSERT ON "Person" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "Person_deleted" AFTER DELETE ON "Person" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "SshCertificateAuthority_created" AFTER INSERT ON "SshCertificateAuthority" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "SshCertificateAuthority_deleted" AFTER DELETE ON "SshCertificateAuthority" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "SshHostCertificate_created" AFTER INSERT ON "SshHostCertificate" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "SshHostCertificate_deleted" AFTER DELETE ON "SshHostCertificate" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "SshEnrollmentToken_created" AFTER INSERT ON "SshEnrollmentToken" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "SshEnrollmentToken_deleted" AFTER DELETE ON "SshEnrollmentToken" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "TlsEdge_created" AFTER INSERT ON "TlsEdge" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "TlsEdge_deleted" AFTER DELETE ON "TlsEdge" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "Webhook_created" AFTER INSERT ON "Webhook" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "Webhook_deleted" AFTER DELETE ON "Webhook" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');
CREATE TRIGGER "SshRevocation_created" AFTER INSERT ON "SshRevocation" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "SshRevocation_deleted" AFTER DELETE ON "SshRevocation" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');

INSERT INTO "ObjectCount" SELECT "accountId", 'ApiKey', 0, count(*) FROM "ApiKey" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'DashboardSession', 0, count(*) FROM "DashboardSession" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'ApprovalSettings', 0, count(*) FROM "ApprovalSettings" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'ApprovalRequest', 0, count(*) FROM "ApprovalRequest" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'AuditCheckpoint', 0, count(*) FROM "AuditCheckpoint" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'AuditEvent', 0, count(*) FROM "AuditEvent" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'TunnelGroupBackend', 0, count(*) FROM "TunnelGroupBackend" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'Expectation', 0, count(*) FROM "Expectation" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'HttpsEdge', 0, count(*) FROM "HttpsEdge" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'HttpsEdgeRoute', 0, count(*) FROM "HttpsEdgeRoute" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'LoginSession', 0, count(*) FROM "LoginSession" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'IpPolicy', 0, count(*) FROM "IpPolicy" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'IpPolicyRule', 0, count(*) FROM "IpPolicyRule" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'IpPolicySource', 0, count(*) FROM "IpPolicySource" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'IpRestriction', 0, count(*) FROM "IpRestriction" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'Role', 0, count(*) FROM "Role" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'SignInProvider', 0, count(*) FROM "SignInProvider" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'Person', 0, count(*) FROM "Person" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'SshCertificateAuthority', 0, count(*) FROM "SshCertificateAuthority" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'SshHostCertificate', 0, count(*) FROM "SshHostCertificate" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'SshEnrollmentToken', 0, count(*) FROM "SshEnrollmentToken" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'TlsEdge', 0, count(*) FROM "TlsEdge" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'Webhook', 0, count(*) FROM "Webhook" GROUP BY "accountId";
INSERT INTO "ObjectCount" SELECT "accountId", 'SshRevocation', 0, count(*) FROM "SshRevocation" GROUP BY "accountId";
