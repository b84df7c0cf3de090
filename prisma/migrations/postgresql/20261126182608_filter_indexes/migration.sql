-- DropIndex
DROP INDEX "AuditEvent_accountId_action_id_idx";

-- DropIndex
DROP INDEX "AuditEvent_accountId_actor_id_idx";

-- DropIndex
DROP INDEX "AuditEvent_accountId_kind_id_idx";

-- DropIndex
DROP INDEX "IpPolicyRule_accountId_action_id_idx";

-- DropIndex
DROP INDEX "IpRestriction_accountId_type_id_idx";

-- DropIndex
DROP INDEX "SamlSession_routeId_userHash_id_idx";

-- DropIndex
DROP INDEX "SshHostCertificate_accountId_fingerprint_id_idx";

-- CreateIndex
CREATE INDEX "AuditEvent_action_accountId_id_idx" ON "AuditEvent"("action", "accountId", "id");

-- CreateIndex
CREATE INDEX "AuditEvent_actor_action_accountId_id_idx" ON "AuditEvent"("actor", "action", "accountId", "id");

-- CreateIndex
CREATE INDEX "AuditEvent_actor_kind_action_accountId_id_idx" ON "AuditEvent"("actor", "kind", "action", "accountId", "id");

-- CreateIndex
CREATE INDEX "AuditEvent_kind_action_accountId_id_idx" ON "AuditEvent"("kind", "action", "accountId", "id");

-- CreateIndex
CREATE INDEX "IpPolicyRule_action_accountId_id_idx" ON "IpPolicyRule"("action", "accountId", "id");

-- CreateIndex
CREATE INDEX "IpRestriction_type_accountId_id_idx" ON "IpRestriction"("type", "accountId", "id");

-- CreateIndex
CREATE INDEX "SamlSession_userHash_routeId_id_idx" ON "SamlSession"("userHash", "routeId", "id");

-- CreateIndex
CREATE INDEX "SshHostCertificate_fingerprint_accountId_id_idx" ON "SshHostCertificate"("fingerprint", "accountId", "id");
