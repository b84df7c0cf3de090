-- Logins that wait for their browsers begin anew: nobody knows when they were vouched for.
DELETE FROM "SamlLogin";

-- CreateTable
CREATE TABLE "SamlLogout" (
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "userHash" TEXT NOT NULL,
    "sessionHash" TEXT NOT NULL,
    "issuedAt" DATETIME NOT NULL,
    "countsUntil" DATETIME NOT NULL,

    PRIMARY KEY ("routeId", "userHash", "sessionHash"),
    CONSTRAINT "SamlLogout_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "SamlModule" ("routeId") ON DELETE CASCADE ON UPDATE CASCADE
);

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
    "issuedAt" DATETIME NOT NULL,
    "target" TEXT NOT NULL DEFAULT '',
    "person" TEXT NOT NULL,
    CONSTRAINT "SamlLogin_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "SamlModule" ("routeId") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_SamlLogin" ("accountId", "browserHash", "expiresAt", "host", "person", "routeId", "target", "ticketHash") SELECT "accountId", "browserHash", "expiresAt", "host", "person", "routeId", "target", "ticketHash" FROM "SamlLogin";
DROP TABLE "SamlLogin";
ALTER TABLE "new_SamlLogin" RENAME TO "SamlLogin";
CREATE INDEX "SamlLogin_routeId_idx" ON "SamlLogin"("routeId");
CREATE INDEX "SamlLogin_expiresAt_idx" ON "SamlLogin"("expiresAt");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

-- CreateIndex
CREATE INDEX "SamlLogout_countsUntil_idx" ON "SamlLogout"("countsUntil");
