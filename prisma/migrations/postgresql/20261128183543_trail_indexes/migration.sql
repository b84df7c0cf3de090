-- DropIndex
DROP INDEX "AuditEvent_action_accountId_id_idx";

-- DropIndex
DROP INDEX "AuditEvent_actor_action_accountId_id_idx";

-- DropIndex
DROP INDEX "AuditEvent_kind_action_accountId_id_idx";

-- CreateIndex
CREATE INDEX "AuditEvent_action_kind_accountId_id_idx" ON "AuditEvent"("action", "kind", "accountId", "id");
