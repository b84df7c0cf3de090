-- RedefineTables
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

-- Counts its objects (prisma/counting.ts).
CREATE TRIGGER "AuditEvent_created" AFTER INSERT ON "AuditEvent" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'AuditEvent', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "AuditEvent_deleted" AFTER DELETE ON "AuditEvent" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'AuditEvent' AND "slot" = 0; END;
