-- CreateTable
CREATE TABLE "OidcModule" (
    "routeId" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "optionsPassthrough" BOOLEAN NOT NULL,
    "cookiePrefix" TEXT NOT NULL,
    "inactivityTimeout" BIGINT NOT NULL,
    "maximumDuration" BIGINT NOT NULL,
    "issuer" TEXT NOT NULL,
    "clientId" TEXT NOT NULL,
    "sealedClientSecret" BLOB,
    "scopes" JSONB NOT NULL,
    "authorizedGroups" JSONB NOT NULL,
    "authorizedEmailDomains" JSONB NOT NULL,
    "groupsClaim" TEXT NOT NULL,
    "emailVerification" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT "OidcModule_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_LoginSession" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "tokenHash" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "userHash" TEXT NOT NULL,
    "sessionIndex" TEXT,
    "person" TEXT NOT NULL,
    "deviceHash" TEXT,
    "clientAddress" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000+00:00',
    "endsAt" DATETIME NOT NULL,
    "lastUsedAt" DATETIME NOT NULL,
    CONSTRAINT "LoginSession_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_LoginSession" ("accountId", "clientAddress", "createdAt", "deviceHash", "endsAt", "host", "id", "issuer", "lastUsedAt", "person", "routeId", "sessionIndex", "tokenHash", "updatedAt", "userHash", "version") SELECT "accountId", "clientAddress", "createdAt", "deviceHash", "endsAt", "host", "id", "issuer", "lastUsedAt", "person", "routeId", "sessionIndex", "tokenHash", "updatedAt", "userHash", "version" FROM "LoginSession";
DROP TABLE "LoginSession";
ALTER TABLE "new_LoginSession" RENAME TO "LoginSession";
CREATE UNIQUE INDEX "LoginSession_tokenHash_key" ON "LoginSession"("tokenHash");
CREATE INDEX "LoginSession_accountId_id_idx" ON "LoginSession"("accountId", "id");
CREATE INDEX "LoginSession_routeId_id_idx" ON "LoginSession"("routeId", "id");
CREATE INDEX "LoginSession_userHash_routeId_id_idx" ON "LoginSession"("userHash", "routeId", "id");
CREATE INDEX "LoginSession_routeId_lastUsedAt_id_idx" ON "LoginSession"("routeId", "lastUsedAt", "id");
CREATE INDEX "LoginSession_endsAt_idx" ON "LoginSession"("endsAt");
CREATE TABLE "new_SamlLogin" (
    "ticketHash" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "browserHash" TEXT,
    "deviceHash" TEXT,
    "expiresAt" DATETIME NOT NULL,
    "issuedAt" DATETIME NOT NULL,
    "target" TEXT NOT NULL DEFAULT '',
    "person" TEXT NOT NULL,
    CONSTRAINT "SamlLogin_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_SamlLogin" ("accountId", "browserHash", "deviceHash", "expiresAt", "host", "issuedAt", "person", "routeId", "target", "ticketHash") SELECT "accountId", "browserHash", "deviceHash", "expiresAt", "host", "issuedAt", "person", "routeId", "target", "ticketHash" FROM "SamlLogin";
DROP TABLE "SamlLogin";
ALTER TABLE "new_SamlLogin" RENAME TO "SamlLogin";
CREATE INDEX "SamlLogin_routeId_idx" ON "SamlLogin"("routeId");
CREATE INDEX "SamlLogin_expiresAt_idx" ON "SamlLogin"("expiresAt");
CREATE TABLE "new_SamlLogout" (
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "userHash" TEXT NOT NULL,
    "sessionHash" TEXT NOT NULL,
    "issuedAt" DATETIME NOT NULL,
    "countsUntil" DATETIME NOT NULL,

    PRIMARY KEY ("routeId", "userHash", "sessionHash"),
    CONSTRAINT "SamlLogout_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_SamlLogout" ("accountId", "countsUntil", "issuedAt", "routeId", "sessionHash", "userHash") SELECT "accountId", "countsUntil", "issuedAt", "routeId", "sessionHash", "userHash" FROM "SamlLogout";
DROP TABLE "SamlLogout";
ALTER TABLE "new_SamlLogout" RENAME TO "SamlLogout";
CREATE INDEX "SamlLogout_countsUntil_idx" ON "SamlLogout"("countsUntil");
CREATE TABLE "new_SamlTarget" (
    "browserHash" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "expiresAt" DATETIME NOT NULL,
    CONSTRAINT "SamlTarget_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_SamlTarget" ("accountId", "browserHash", "expiresAt", "routeId", "target") SELECT "accountId", "browserHash", "expiresAt", "routeId", "target" FROM "SamlTarget";
DROP TABLE "SamlTarget";
ALTER TABLE "new_SamlTarget" RENAME TO "SamlTarget";
CREATE INDEX "SamlTarget_routeId_expiresAt_idx" ON "SamlTarget"("routeId", "expiresAt");
CREATE INDEX "SamlTarget_expiresAt_idx" ON "SamlTarget"("expiresAt");
CREATE TABLE "new_SamlUsedAssertion" (
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "idHash" TEXT NOT NULL,
    "usableUntil" DATETIME NOT NULL,

    PRIMARY KEY ("routeId", "idHash"),
    CONSTRAINT "SamlUsedAssertion_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_SamlUsedAssertion" ("accountId", "idHash", "routeId", "usableUntil") SELECT "accountId", "idHash", "routeId", "usableUntil" FROM "SamlUsedAssertion";
DROP TABLE "SamlUsedAssertion";
ALTER TABLE "new_SamlUsedAssertion" RENAME TO "SamlUsedAssertion";
CREATE INDEX "SamlUsedAssertion_usableUntil_idx" ON "SamlUsedAssertion"("usableUntil");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
