-- DropIndex
DROP INDEX "DashboardSession_apiKeyId_idx";

-- DropIndex
DROP INDEX "DashboardSession_lastUsedAt_idx";

-- CreateIndex
CREATE INDEX "DashboardSession_accountId_lastUsedAt_id_idx" ON "DashboardSession"("accountId", "lastUsedAt", "id");

-- CreateIndex
CREATE INDEX "DashboardSession_apiKeyId_id_idx" ON "DashboardSession"("apiKeyId", "id");

-- CreateIndex
CREATE INDEX "HttpsEdgeRoute_edgeId_updatedAt_id_idx" ON "HttpsEdgeRoute"("edgeId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "SamlSession_routeId_lastUsedAt_id_idx" ON "SamlSession"("routeId", "lastUsedAt", "id");

-- CreateIndex
CREATE INDEX "SshRevocation_accountId_validUntil_sshCertificateAuthorityI_idx" ON "SshRevocation"("accountId", "validUntil", "sshCertificateAuthorityId", "serial");

-- CreateIndex
CREATE INDEX "SshRevocation_accountId_sshCertificateAuthorityId_validUnti_idx" ON "SshRevocation"("accountId", "sshCertificateAuthorityId", "validUntil", "serial");

-- CreateIndex
CREATE INDEX "SshRevocation_accountId_serial_idx" ON "SshRevocation"("accountId", "serial");

-- CreateIndex
CREATE INDEX "SshRevocation_accountId_sshHostCertificateId_idx" ON "SshRevocation"("accountId", "sshHostCertificateId");
