-- CreateTable
CREATE TABLE "SamlLogin" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "browserHash" TEXT,
    "requestId" TEXT,
    "createdAt" DATETIME NOT NULL,
    "expiresAt" DATETIME NOT NULL,
    "ticketHash" TEXT,
    "target" TEXT NOT NULL DEFAULT '',
    "person" TEXT NOT NULL DEFAULT '',
    CONSTRAINT "SamlLogin_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "SamlModule" ("routeId") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "SamlUsedAssertion" (
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "idHash" TEXT NOT NULL,
    "usableUntil" DATETIME NOT NULL,

    PRIMARY KEY ("routeId", "idHash"),
    CONSTRAINT "SamlUsedAssertion_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "SamlModule" ("routeId") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "SamlSession" (
    "tokenHash" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "person" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "endsAt" DATETIME NOT NULL,
    "lastUsedAt" DATETIME NOT NULL,
    CONSTRAINT "SamlSession_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "SamlModule" ("routeId") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "SamlLogin_ticketHash_key" ON "SamlLogin"("ticketHash");

-- CreateIndex
CREATE INDEX "SamlLogin_routeId_expiresAt_idx" ON "SamlLogin"("routeId", "expiresAt");

-- CreateIndex
CREATE INDEX "SamlLogin_expiresAt_idx" ON "SamlLogin"("expiresAt");

-- CreateIndex
CREATE INDEX "SamlUsedAssertion_usableUntil_idx" ON "SamlUsedAssertion"("usableUntil");

-- CreateIndex
CREATE INDEX "SamlSession_routeId_idx" ON "SamlSession"("routeId");

-- CreateIndex
CREATE INDEX "SamlSession_endsAt_idx" ON "SamlSession"("endsAt");
