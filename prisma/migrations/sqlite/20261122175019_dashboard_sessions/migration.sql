-- CreateTable
CREATE TABLE "DashboardSession" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "tokenHash" TEXT NOT NULL,
    "apiKeyId" TEXT NOT NULL,
    "clientAddress" TEXT,
    "userAgent" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000+00:00',
    "endsAt" DATETIME NOT NULL,
    "lastUsedAt" DATETIME NOT NULL,
    CONSTRAINT "DashboardSession_apiKeyId_fkey" FOREIGN KEY ("apiKeyId") REFERENCES "ApiKey" ("id") ON DELETE CASCADE ON UPDATE CASCADE
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
