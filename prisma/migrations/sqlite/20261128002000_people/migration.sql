-- CreateTable
CREATE TABLE "Role" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "SignInProvider" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "refusesKeys" BOOLEAN NOT NULL DEFAULT false,
    "roleMappings" JSONB NOT NULL DEFAULT '[]',
    "issuer" TEXT NOT NULL,
    "clientId" TEXT NOT NULL,
    "sealedClientSecret" BLOB,
    "scopes" JSONB NOT NULL DEFAULT '[]',
    "groupsClaim" TEXT NOT NULL,
    "emailVerification" TEXT NOT NULL,
    "authorizedEmailDomains" JSONB NOT NULL DEFAULT '[]',
    "acceptsFrom" DATETIME NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "Person" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "providerId" TEXT NOT NULL,
    "subjectHash" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "groups" JSONB NOT NULL DEFAULT '[]',
    "blocked" BOOLEAN NOT NULL DEFAULT false,
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    "signedInAt" DATETIME NOT NULL,
    "lastSeenAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "UsedSignIn" (
    "accountId" TEXT NOT NULL,
    "providerId" TEXT NOT NULL,
    "idHash" TEXT NOT NULL,
    "usableUntil" DATETIME NOT NULL,

    PRIMARY KEY ("providerId", "idHash"),
    CONSTRAINT "UsedSignIn_providerId_fkey" FOREIGN KEY ("providerId") REFERENCES "SignInProvider" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- Not a new table for it: migrations run in a transaction, in which the foreign keys stay on, and dashboard sessions refer to it.
ALTER TABLE "ApiKey" ADD COLUMN "personId" TEXT REFERENCES "Person" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX "ApiKey_personId_id_idx" ON "ApiKey"("personId", "id");

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_DashboardSession" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "tokenHash" TEXT NOT NULL,
    "apiKeyId" TEXT,
    "personId" TEXT,
    "clientAddress" TEXT,
    "userAgent" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    "endsAt" DATETIME NOT NULL,
    "lastUsedAt" DATETIME NOT NULL,
    CONSTRAINT "DashboardSession_apiKeyId_fkey" FOREIGN KEY ("apiKeyId") REFERENCES "ApiKey" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "DashboardSession_personId_fkey" FOREIGN KEY ("personId") REFERENCES "Person" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_DashboardSession" ("accountId", "apiKeyId", "clientAddress", "createdAt", "endsAt", "id", "lastUsedAt", "tokenHash", "updatedAt", "userAgent", "version") SELECT "accountId", "apiKeyId", "clientAddress", "createdAt", "endsAt", "id", "lastUsedAt", "tokenHash", "updatedAt", "userAgent", "version" FROM "DashboardSession";
DROP TABLE "DashboardSession";
ALTER TABLE "new_DashboardSession" RENAME TO "DashboardSession";
CREATE UNIQUE INDEX "DashboardSession_tokenHash_key" ON "DashboardSession"("tokenHash");
CREATE INDEX "DashboardSession_accountId_id_idx" ON "DashboardSession"("accountId", "id");
CREATE INDEX "DashboardSession_accountId_lastUsedAt_id_idx" ON "DashboardSession"("accountId", "lastUsedAt", "id");
CREATE INDEX "DashboardSession_apiKeyId_id_idx" ON "DashboardSession"("apiKeyId", "id");
CREATE INDEX "DashboardSession_personId_id_idx" ON "DashboardSession"("personId", "id");
CREATE INDEX "DashboardSession_endsAt_idx" ON "DashboardSession"("endsAt");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

-- CreateIndex
CREATE INDEX "Role_accountId_id_idx" ON "Role"("accountId", "id");

-- CreateIndex
CREATE INDEX "Role_accountId_updatedAt_id_idx" ON "Role"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Role_accountId_name_key" ON "Role"("accountId", "name");

-- CreateIndex
CREATE INDEX "SignInProvider_accountId_id_idx" ON "SignInProvider"("accountId", "id");

-- CreateIndex
CREATE INDEX "SignInProvider_accountId_updatedAt_id_idx" ON "SignInProvider"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "SignInProvider_accountId_name_key" ON "SignInProvider"("accountId", "name");

-- CreateIndex
CREATE INDEX "Person_accountId_id_idx" ON "Person"("accountId", "id");

-- CreateIndex
CREATE INDEX "Person_accountId_updatedAt_id_idx" ON "Person"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Person_providerId_subjectHash_key" ON "Person"("providerId", "subjectHash");

-- CreateIndex
CREATE INDEX "UsedSignIn_usableUntil_idx" ON "UsedSignIn"("usableUntil");
