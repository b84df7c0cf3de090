-- AlterTable
-- Events from before are all the same here, and in the order of their ids. A server of the version before does not know the column:
-- the default numbers its events.
ALTER TABLE "AuditEvent" ADD COLUMN     "commitOrder" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "AuditEvent" ALTER COLUMN "commitOrder" SET DEFAULT (pg_current_xact_id()::text::bigint);

-- CreateIndex
CREATE INDEX "AuditEvent_accountId_commitOrder_id_idx" ON "AuditEvent"("accountId", "commitOrder", "id");
