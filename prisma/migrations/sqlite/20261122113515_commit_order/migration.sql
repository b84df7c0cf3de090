-- AlterTable
-- Events from before are all the same here, and in the order of their ids.
ALTER TABLE "AuditEvent" ADD COLUMN "commitOrder" BIGINT NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "AuditEvent_accountId_commitOrder_id_idx" ON "AuditEvent"("accountId", "commitOrder", "id");
