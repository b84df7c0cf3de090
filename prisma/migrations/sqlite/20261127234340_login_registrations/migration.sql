-- AlterTable
ALTER TABLE "SamlLogin" ADD COLUMN "sourceId" TEXT REFERENCES "LoginSession" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AlterTable
ALTER TABLE "SamlModule" ADD COLUMN "loginRouteId" TEXT REFERENCES "SamlModule" ("routeId") ON DELETE NO ACTION ON UPDATE CASCADE;

-- CreateIndex
CREATE INDEX "SamlLogin_sourceId_idx" ON "SamlLogin"("sourceId");

-- CreateIndex
CREATE INDEX "SamlModule_loginRouteId_routeId_idx" ON "SamlModule"("loginRouteId", "routeId");

-- CreateIndex
CREATE INDEX "LoginSession_deviceHash_idx" ON "LoginSession"("deviceHash");
