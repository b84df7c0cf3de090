-- AlterTable
ALTER TABLE "IpPolicyRule" ADD COLUMN     "expiresAt" TIMESTAMP(3);

-- CreateIndex
CREATE INDEX "IpPolicyRule_accountId_expiresAt_id_idx" ON "IpPolicyRule"("accountId", "expiresAt", "id");
