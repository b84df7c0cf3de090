-- AlterTable
ALTER TABLE "IpPolicy" ADD COLUMN     "restoredVersion" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "RevokedApiKey" (
    "tokenHash" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "apiKeyId" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "revokedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "RevokedApiKey_pkey" PRIMARY KEY ("tokenHash")
);

-- CreateIndex
CREATE INDEX "RevokedApiKey_revokedAt_idx" ON "RevokedApiKey"("revokedAt");
