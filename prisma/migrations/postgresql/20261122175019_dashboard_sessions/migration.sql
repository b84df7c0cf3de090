-- CreateTable
CREATE TABLE "DashboardSession" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "tokenHash" TEXT NOT NULL,
    "apiKeyId" TEXT NOT NULL,
    "clientAddress" TEXT,
    "userAgent" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL DEFAULT timezone('UTC', now()),
    "endsAt" TIMESTAMP(3) NOT NULL,
    "lastUsedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "DashboardSession_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "DashboardSession_tokenHash_key" ON "DashboardSession"("tokenHash");

-- CreateIndex
CREATE INDEX "DashboardSession_accountId_id_idx" ON "DashboardSession"("accountId", "id");

-- CreateIndex
CREATE INDEX "DashboardSession_apiKeyId_idx" ON "DashboardSession"("apiKeyId");

-- CreateIndex
CREATE INDEX "DashboardSession_endsAt_idx" ON "DashboardSession"("endsAt");

-- CreateIndex
CREATE INDEX "DashboardSession_lastUsedAt_idx" ON "DashboardSession"("lastUsedAt");

-- AddForeignKey
ALTER TABLE "DashboardSession" ADD CONSTRAINT "DashboardSession_apiKeyId_fkey" FOREIGN KEY ("apiKeyId") REFERENCES "ApiKey"("id") ON DELETE CASCADE ON UPDATE CASCADE;
