-- CreateIndex
CREATE INDEX "ApiKey_accountId_updatedAt_id_idx" ON "ApiKey"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "HttpsEdge_accountId_updatedAt_id_idx" ON "HttpsEdge"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "IpPolicy_accountId_updatedAt_id_idx" ON "IpPolicy"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "IpPolicyRule_accountId_action_id_idx" ON "IpPolicyRule"("accountId", "action", "id");

-- CreateIndex
CREATE INDEX "IpPolicyRule_accountId_range_idx" ON "IpPolicyRule"("accountId", "range");

-- CreateIndex
CREATE INDEX "IpPolicyRule_accountId_updatedAt_id_idx" ON "IpPolicyRule"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "IpPolicyRule_ipPolicyId_updatedAt_id_idx" ON "IpPolicyRule"("ipPolicyId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "IpRestriction_accountId_updatedAt_id_idx" ON "IpRestriction"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "SshCertificateAuthority_accountId_updatedAt_id_idx" ON "SshCertificateAuthority"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "SshEnrollmentToken_accountId_updatedAt_id_idx" ON "SshEnrollmentToken"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "SshHostCertificate_accountId_updatedAt_id_idx" ON "SshHostCertificate"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "SshHostCertificate_sshCertificateAuthorityId_updatedAt_id_idx" ON "SshHostCertificate"("sshCertificateAuthorityId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "TlsEdge_accountId_updatedAt_id_idx" ON "TlsEdge"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "TunnelGroupBackend_accountId_updatedAt_id_idx" ON "TunnelGroupBackend"("accountId", "updatedAt", "id");
