-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_OidcModule" (
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
    "failure" TEXT,
    "failedAt" DATETIME,
    "bytes" INTEGER NOT NULL DEFAULT 0,
    "loginRouteId" TEXT,
    CONSTRAINT "OidcModule_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "OidcModule_loginRouteId_fkey" FOREIGN KEY ("loginRouteId") REFERENCES "OidcModule" ("routeId") ON DELETE NO ACTION ON UPDATE CASCADE
);
INSERT INTO "new_OidcModule" ("accountId", "authorizedEmailDomains", "authorizedGroups", "bytes", "clientId", "cookiePrefix", "emailVerification", "enabled", "failedAt", "failure", "groupsClaim", "inactivityTimeout", "issuer", "maximumDuration", "optionsPassthrough", "routeId", "scopes", "sealedClientSecret") SELECT "accountId", "authorizedEmailDomains", "authorizedGroups", "bytes", "clientId", "cookiePrefix", "emailVerification", "enabled", "failedAt", "failure", "groupsClaim", "inactivityTimeout", "issuer", "maximumDuration", "optionsPassthrough", "routeId", "scopes", "sealedClientSecret" FROM "OidcModule";
DROP TABLE "OidcModule";
ALTER TABLE "new_OidcModule" RENAME TO "OidcModule";
CREATE INDEX "OidcModule_loginRouteId_routeId_idx" ON "OidcModule"("loginRouteId", "routeId");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
