-- Logins that are under way begin anew, and so do sessions, whose users log in once more: nobody knows their addresses.
DELETE FROM "SamlLogin";
DELETE FROM "SamlSession";

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_SamlLogin" (
    "ticketHash" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "browserHash" TEXT,
    "expiresAt" DATETIME NOT NULL,
    "target" TEXT NOT NULL DEFAULT '',
    "person" TEXT NOT NULL,
    CONSTRAINT "SamlLogin_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "SamlModule" ("routeId") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_SamlLogin" ("accountId", "browserHash", "expiresAt", "host", "person", "routeId", "target", "ticketHash") SELECT "accountId", "browserHash", "expiresAt", "host", "person", "routeId", "target", "ticketHash" FROM "SamlLogin";
DROP TABLE "SamlLogin";
ALTER TABLE "new_SamlLogin" RENAME TO "SamlLogin";
CREATE INDEX "SamlLogin_routeId_idx" ON "SamlLogin"("routeId");
CREATE INDEX "SamlLogin_expiresAt_idx" ON "SamlLogin"("expiresAt");
CREATE TABLE "new_SamlSession" (
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
    "clientAddress" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "endsAt" DATETIME NOT NULL,
    "lastUsedAt" DATETIME NOT NULL,
    CONSTRAINT "SamlSession_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "SamlModule" ("routeId") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_SamlSession" ("accountId", "createdAt", "endsAt", "host", "issuer", "lastUsedAt", "person", "routeId", "tokenHash") SELECT "accountId", "createdAt", "endsAt", "host", "issuer", "lastUsedAt", "person", "routeId", "tokenHash" FROM "SamlSession";
DROP TABLE "SamlSession";
ALTER TABLE "new_SamlSession" RENAME TO "SamlSession";
CREATE UNIQUE INDEX "SamlSession_tokenHash_key" ON "SamlSession"("tokenHash");
CREATE INDEX "SamlSession_accountId_id_idx" ON "SamlSession"("accountId", "id");
CREATE INDEX "SamlSession_routeId_id_idx" ON "SamlSession"("routeId", "id");
CREATE INDEX "SamlSession_routeId_userHash_id_idx" ON "SamlSession"("routeId", "userHash", "id");
CREATE INDEX "SamlSession_endsAt_idx" ON "SamlSession"("endsAt");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
