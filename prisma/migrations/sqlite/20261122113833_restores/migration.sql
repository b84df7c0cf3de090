-- AlterTable
ALTER TABLE "IpPolicy" ADD COLUMN "restoredVersion" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "RevokedApiKey" (
    "tokenHash" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "apiKeyId" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "revokedAt" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "RevokedApiKey_revokedAt_idx" ON "RevokedApiKey"("revokedAt");
