-- CreateTable
CREATE TABLE "Expectation" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "expected" TEXT NOT NULL,
    "address" TEXT NOT NULL DEFAULT '',
    "trafficType" TEXT NOT NULL DEFAULT '',
    "httpsEdgeId" TEXT,
    "url" TEXT NOT NULL DEFAULT '',
    "method" TEXT NOT NULL DEFAULT '',
    "signedIn" BOOLEAN NOT NULL DEFAULT false,
    "groups" JSONB NOT NULL DEFAULT '[]',
    "tlsEdgeId" TEXT,
    "serverName" TEXT NOT NULL DEFAULT '',
    "logged" BOOLEAN,
    "hostName" TEXT NOT NULL DEFAULT '',
    "sshCertificateAuthorityId" TEXT
);

-- CreateIndex
CREATE INDEX "Expectation_accountId_id_idx" ON "Expectation"("accountId", "id");

-- CreateIndex
CREATE INDEX "Expectation_accountId_updatedAt_id_idx" ON "Expectation"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Expectation_httpsEdgeId_id_idx" ON "Expectation"("httpsEdgeId", "id");

-- CreateIndex
CREATE INDEX "Expectation_tlsEdgeId_id_idx" ON "Expectation"("tlsEdgeId", "id");

-- CreateIndex
CREATE INDEX "Expectation_sshCertificateAuthorityId_id_idx" ON "Expectation"("sshCertificateAuthorityId", "id");

-- CreateIndex
CREATE INDEX "Expectation_trafficType_accountId_id_idx" ON "Expectation"("trafficType", "accountId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Expectation_accountId_name_key" ON "Expectation"("accountId", "name");
