-- AlterTable
ALTER TABLE "IpPolicyRule" ADD COLUMN "expiresAt" DATETIME;

-- CreateIndex
CREATE INDEX "IpPolicyRule_accountId_expiresAt_id_idx" ON "IpPolicyRule"("accountId", "expiresAt", "id");
