-- Sessions of users are of any kind of login.
ALTER TABLE "SamlSession" RENAME TO "LoginSession";
ALTER TABLE "LoginSession" RENAME CONSTRAINT "SamlSession_pkey" TO "LoginSession_pkey";
ALTER TABLE "LoginSession" RENAME CONSTRAINT "SamlSession_routeId_fkey" TO "LoginSession_routeId_fkey";
ALTER INDEX "SamlSession_tokenHash_key" RENAME TO "LoginSession_tokenHash_key";
ALTER INDEX "SamlSession_accountId_id_idx" RENAME TO "LoginSession_accountId_id_idx";
ALTER INDEX "SamlSession_routeId_id_idx" RENAME TO "LoginSession_routeId_id_idx";
ALTER INDEX "SamlSession_userHash_routeId_id_idx" RENAME TO "LoginSession_userHash_routeId_id_idx";
ALTER INDEX "SamlSession_routeId_lastUsedAt_id_idx" RENAME TO "LoginSession_routeId_lastUsedAt_id_idx";
ALTER INDEX "SamlSession_endsAt_idx" RENAME TO "LoginSession_endsAt_idx";
