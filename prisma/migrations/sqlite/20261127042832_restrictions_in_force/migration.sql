-- CreateIndex
CREATE INDEX "IpRestriction_type_enforced_accountId_id_idx" ON "IpRestriction"("type", "enforced", "accountId", "id");
