-- CreateIndex
CREATE INDEX "IpPolicySource_action_accountId_id_idx" ON "IpPolicySource"("action", "accountId", "id");
