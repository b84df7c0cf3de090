-- CreateTable
CREATE TABLE "IpPolicySource" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "ipPolicyId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "jsonPath" TEXT NOT NULL DEFAULT '',
    "action" TEXT NOT NULL,
    "intervalSeconds" INTEGER NOT NULL,
    "rangeCount" INTEGER NOT NULL DEFAULT 0,
    "pendingCount" INTEGER,
    "lastChange" JSONB NOT NULL,
    "readAt" DATETIME,
    "triedAt" DATETIME,
    "failure" TEXT,
    "nextAt" DATETIME NOT NULL,
    "entityTag" TEXT,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    CONSTRAINT "IpPolicySource_ipPolicyId_fkey" FOREIGN KEY ("ipPolicyId") REFERENCES "IpPolicy" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "IpPolicySourceList" (
    "sourceId" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "ipPolicyId" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "ranges" BLOB NOT NULL,
    "pending" BLOB,
    CONSTRAINT "IpPolicySourceList_sourceId_fkey" FOREIGN KEY ("sourceId") REFERENCES "IpPolicySource" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- AlterTable
ALTER TABLE "IpPolicy" ADD COLUMN "sourceCount" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "IpPolicy" ADD COLUMN "sourceRangeCount" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "IpPolicySource_accountId_id_idx" ON "IpPolicySource"("accountId", "id");

-- CreateIndex
CREATE INDEX "IpPolicySource_accountId_updatedAt_id_idx" ON "IpPolicySource"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "IpPolicySource_ipPolicyId_id_idx" ON "IpPolicySource"("ipPolicyId", "id");

-- CreateIndex
CREATE INDEX "IpPolicySource_ipPolicyId_updatedAt_id_idx" ON "IpPolicySource"("ipPolicyId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "IpPolicySource_nextAt_idx" ON "IpPolicySource"("nextAt");

-- CreateIndex
CREATE INDEX "IpPolicySourceList_ipPolicyId_idx" ON "IpPolicySourceList"("ipPolicyId");
