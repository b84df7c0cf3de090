-- DropIndex
DROP INDEX "SamlTarget_routeId_idx";

-- CreateIndex
CREATE INDEX "SamlTarget_routeId_expiresAt_idx" ON "SamlTarget"("routeId", "expiresAt");
