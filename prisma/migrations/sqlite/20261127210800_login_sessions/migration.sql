-- Sessions of users are of any kind of login.
ALTER TABLE "SamlSession" RENAME TO "LoginSession";
DROP INDEX "SamlSession_tokenHash_key";
CREATE UNIQUE INDEX "LoginSession_tokenHash_key" ON "LoginSession"("tokenHash");
DROP INDEX "SamlSession_accountId_id_idx";
CREATE INDEX "LoginSession_accountId_id_idx" ON "LoginSession"("accountId", "id");
DROP INDEX "SamlSession_routeId_id_idx";
CREATE INDEX "LoginSession_routeId_id_idx" ON "LoginSession"("routeId", "id");
DROP INDEX "SamlSession_userHash_routeId_id_idx";
CREATE INDEX "LoginSession_userHash_routeId_id_idx" ON "LoginSession"("userHash", "routeId", "id");
DROP INDEX "SamlSession_routeId_lastUsedAt_id_idx";
CREATE INDEX "LoginSession_routeId_lastUsedAt_id_idx" ON "LoginSession"("routeId", "lastUsedAt", "id");
DROP INDEX "SamlSession_endsAt_idx";
CREATE INDEX "LoginSession_endsAt_idx" ON "LoginSession"("endsAt");
