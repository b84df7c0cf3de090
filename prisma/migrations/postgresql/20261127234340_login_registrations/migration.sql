-- AlterTable
ALTER TABLE "SamlLogin" ADD COLUMN     "sourceId" TEXT;

-- AlterTable
ALTER TABLE "SamlModule" ADD COLUMN     "loginRouteId" TEXT;

-- CreateIndex
CREATE INDEX "LoginSession_deviceHash_idx" ON "LoginSession"("deviceHash");

-- CreateIndex
CREATE INDEX "SamlLogin_sourceId_idx" ON "SamlLogin"("sourceId");

-- CreateIndex
CREATE INDEX "SamlModule_loginRouteId_routeId_idx" ON "SamlModule"("loginRouteId", "routeId");

-- AddForeignKey
ALTER TABLE "SamlModule" ADD CONSTRAINT "SamlModule_loginRouteId_fkey" FOREIGN KEY ("loginRouteId") REFERENCES "SamlModule"("routeId") ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE;

-- AddForeignKey
ALTER TABLE "SamlLogin" ADD CONSTRAINT "SamlLogin_sourceId_fkey" FOREIGN KEY ("sourceId") REFERENCES "LoginSession"("id") ON DELETE CASCADE ON UPDATE CASCADE;
