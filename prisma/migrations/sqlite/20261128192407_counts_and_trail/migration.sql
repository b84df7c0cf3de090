-- The trail: its key finds its events by account and id, and two indexes find them by its filters.
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_AuditEvent" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "action" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "objectId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "actor" TEXT NOT NULL,
    "actorDescription" TEXT NOT NULL,
    "requestId" TEXT,
    "surface" TEXT NOT NULL,
    "clientAddress" TEXT,
    "state" TEXT NOT NULL,
    "commitOrder" BIGINT NOT NULL DEFAULT 0,

    PRIMARY KEY ("accountId", "id")
);
INSERT INTO "new_AuditEvent" ("accountId", "action", "actor", "actorDescription", "clientAddress", "commitOrder", "createdAt", "id", "kind", "objectId", "requestId", "state", "surface", "version") SELECT "accountId", "action", "actor", "actorDescription", "clientAddress", "commitOrder", "createdAt", "id", "kind", "objectId", "requestId", "state", "surface", "version" FROM "AuditEvent";
DROP TABLE "AuditEvent";
ALTER TABLE "new_AuditEvent" RENAME TO "AuditEvent";
CREATE INDEX "AuditEvent_accountId_commitOrder_id_idx" ON "AuditEvent"("accountId", "commitOrder", "id");
CREATE INDEX "AuditEvent_action_kind_accountId_id_idx" ON "AuditEvent"("action", "kind", "accountId", "id");
CREATE INDEX "AuditEvent_actor_kind_action_accountId_id_idx" ON "AuditEvent"("actor", "kind", "action", "accountId", "id");
CREATE UNIQUE INDEX "AuditEvent_accountId_objectId_version_key" ON "AuditEvent"("accountId", "objectId", "version");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

-- CreateTable
CREATE TABLE "ObjectCount" (
    "accountId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "slot" BIGINT NOT NULL,
    "count" BIGINT NOT NULL,

    PRIMARY KEY ("accountId", "kind", "slot")
);

-- Counts what is created and deleted from now on, and then what there is (prisma/counting.ts).
CREATE TRIGGER "ApiKey_created" AFTER INSERT ON "ApiKey" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'ApiKey', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "ApiKey_deleted" AFTER DELETE ON "ApiKey" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'ApiKey' AND "slot" = 0; END;
CREATE TRIGGER "DashboardSession_created" AFTER INSERT ON "DashboardSession" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'DashboardSession', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "DashboardSession_deleted" AFTER DELETE ON "DashboardSession" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'DashboardSession' AND "slot" = 0; END;
CREATE TRIGGER "ApprovalSettings_created" AFTER INSERT ON "ApprovalSettings" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'ApprovalSettings', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "ApprovalSettings_deleted" AFTER DELETE ON "ApprovalSettings" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'ApprovalSettings' AND "slot" = 0; END;
CREATE TRIGGER "ApprovalRequest_created" AFTER INSERT ON "ApprovalRequest" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'ApprovalRequest', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "ApprovalRequest_deleted" AFTER DELETE ON "ApprovalRequest" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'ApprovalRequest' AND "slot" = 0; END;
CREATE TRIGGER "AuditCheckpoint_created" AFTER INSERT ON "AuditCheckpoint" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'AuditCheckpoint', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "AuditCheckpoint_deleted" AFTER DELETE ON "AuditCheckpoint" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'AuditCheckpoint' AND "slot" = 0; END;
CREATE TRIGGER "AuditEvent_created" AFTER INSERT ON "AuditEvent" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'AuditEvent', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "AuditEvent_deleted" AFTER DELETE ON "AuditEvent" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'AuditEvent' AND "slot" = 0; END;
CREATE TRIGGER "TunnelGroupBackend_created" AFTER INSERT ON "TunnelGroupBackend" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'TunnelGroupBackend', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "TunnelGroupBackend_deleted" AFTER DELETE ON "TunnelGroupBackend" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'TunnelGroupBackend' AND "slot" = 0; END;
CREATE TRIGGER "Expectation_created" AFTER INSERT ON "Expectation" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'Expectation', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "Expectation_deleted" AFTER DELETE ON "Expectation" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'Expectation' AND "slot" = 0; END;
CREATE TRIGGER "HttpsEdge_created" AFTER INSERT ON "HttpsEdge" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'HttpsEdge', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "HttpsEdge_deleted" AFTER DELETE ON "HttpsEdge" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'HttpsEdge' AND "slot" = 0; END;
CREATE TRIGGER "HttpsEdgeRoute_created" AFTER INSERT ON "HttpsEdgeRoute" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'HttpsEdgeRoute', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "HttpsEdgeRoute_deleted" AFTER DELETE ON "HttpsEdgeRoute" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'HttpsEdgeRoute' AND "slot" = 0; END;
CREATE TRIGGER "LoginSession_created" AFTER INSERT ON "LoginSession" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'LoginSession', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "LoginSession_deleted" AFTER DELETE ON "LoginSession" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'LoginSession' AND "slot" = 0; END;
CREATE TRIGGER "IpPolicy_created" AFTER INSERT ON "IpPolicy" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'IpPolicy', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "IpPolicy_deleted" AFTER DELETE ON "IpPolicy" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'IpPolicy' AND "slot" = 0; END;
CREATE TRIGGER "IpPolicyRule_created" AFTER INSERT ON "IpPolicyRule" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'IpPolicyRule', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "IpPolicyRule_deleted" AFTER DELETE ON "IpPolicyRule" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'IpPolicyRule' AND "slot" = 0; END;
CREATE TRIGGER "IpPolicySource_created" AFTER INSERT ON "IpPolicySource" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'IpPolicySource', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "IpPolicySource_deleted" AFTER DELETE ON "IpPolicySource" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'IpPolicySource' AND "slot" = 0; END;
CREATE TRIGGER "IpRestriction_created" AFTER INSERT ON "IpRestriction" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'IpRestriction', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "IpRestriction_deleted" AFTER DELETE ON "IpRestriction" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'IpRestriction' AND "slot" = 0; END;
CREATE TRIGGER "Role_created" AFTER INSERT ON "Role" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'Role', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "Role_deleted" AFTER DELETE ON "Role" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'Role' AND "slot" = 0; END;
CREATE TRIGGER "SignInProvider_created" AFTER INSERT ON "SignInProvider" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'SignInProvider', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "SignInProvider_deleted" AFTER DELETE ON "SignInProvider" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'SignInProvider' AND "slot" = 0; END;
CREATE TRIGGER "Person_created" AFTER INSERT ON "Person" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'Person', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "Person_deleted" AFTER DELETE ON "Person" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'Person' AND "slot" = 0; END;
CREATE TRIGGER "SshCertificateAuthority_created" AFTER INSERT ON "SshCertificateAuthority" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'SshCertificateAuthority', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "SshCertificateAuthority_deleted" AFTER DELETE ON "SshCertificateAuthority" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'SshCertificateAuthority' AND "slot" = 0; END;
CREATE TRIGGER "SshHostCertificate_created" AFTER INSERT ON "SshHostCertificate" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'SshHostCertificate', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "SshHostCertificate_deleted" AFTER DELETE ON "SshHostCertificate" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'SshHostCertificate' AND "slot" = 0; END;
CREATE TRIGGER "SshEnrollmentToken_created" AFTER INSERT ON "SshEnrollmentToken" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'SshEnrollmentToken', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "SshEnrollmentToken_deleted" AFTER DELETE ON "SshEnrollmentToken" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'SshEnrollmentToken' AND "slot" = 0; END;
CREATE TRIGGER "TlsEdge_created" AFTER INSERT ON "TlsEdge" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'TlsEdge', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "TlsEdge_deleted" AFTER DELETE ON "TlsEdge" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'TlsEdge' AND "slot" = 0; END;
CREATE TRIGGER "Webhook_created" AFTER INSERT ON "Webhook" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'Webhook', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "Webhook_deleted" AFTER DELETE ON "Webhook" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'Webhook' AND "slot" = 0; END;
CREATE TRIGGER "SshRevocation_created" AFTER INSERT ON "SshRevocation" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'SshRevocation', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "SshRevocation_deleted" AFTER DELETE ON "SshRevocation" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'SshRevocation' AND "slot" = 0; END;

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
