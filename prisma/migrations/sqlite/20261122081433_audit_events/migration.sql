-- CreateTable
CREATE TABLE "AuditEvent" (
    "id" TEXT NOT NULL PRIMARY KEY,
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
    "state" TEXT NOT NULL
);

-- CreateIndex
CREATE INDEX "AuditEvent_accountId_id_idx" ON "AuditEvent"("accountId", "id");

-- CreateIndex
CREATE INDEX "AuditEvent_accountId_objectId_id_idx" ON "AuditEvent"("accountId", "objectId", "id");

-- CreateIndex
CREATE INDEX "AuditEvent_accountId_kind_id_idx" ON "AuditEvent"("accountId", "kind", "id");

-- CreateIndex
CREATE INDEX "AuditEvent_accountId_actor_id_idx" ON "AuditEvent"("accountId", "actor", "id");

-- CreateIndex
CREATE INDEX "AuditEvent_accountId_action_id_idx" ON "AuditEvent"("accountId", "action", "id");

-- CreateIndex
CREATE UNIQUE INDEX "AuditEvent_accountId_objectId_version_key" ON "AuditEvent"("accountId", "objectId", "version");
