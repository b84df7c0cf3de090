-- AlterTable
ALTER TABLE "IpPolicy" ADD COLUMN     "sourceCount" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "sourceRangeCount" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "IpPolicySource" (
    "id" TEXT NOT NULL,
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
    "readAt" TIMESTAMP(3),
    "triedAt" TIMESTAMP(3),
    "failure" TEXT,
    "nextAt" TIMESTAMP(3) NOT NULL,
    "entityTag" TEXT,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "IpPolicySource_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "IpPolicySourceList" (
    "sourceId" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "ipPolicyId" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "ranges" BYTEA NOT NULL,
    "pending" BYTEA,

    CONSTRAINT "IpPolicySourceList_pkey" PRIMARY KEY ("sourceId")
);

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

-- AddForeignKey
ALTER TABLE "IpPolicySource" ADD CONSTRAINT "IpPolicySource_ipPolicyId_fkey" FOREIGN KEY ("ipPolicyId") REFERENCES "IpPolicy"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IpPolicySourceList" ADD CONSTRAINT "IpPolicySourceList_sourceId_fkey" FOREIGN KEY ("sourceId") REFERENCES "IpPolicySource"("id") ON DELETE CASCADE ON UPDATE CASCADE;
