-- AlterTable
ALTER TABLE "OidcModule" ADD COLUMN     "loginRouteId" TEXT;

-- CreateIndex
CREATE INDEX "OidcModule_loginRouteId_routeId_idx" ON "OidcModule"("loginRouteId", "routeId");

-- AddForeignKey
ALTER TABLE "OidcModule" ADD CONSTRAINT "OidcModule_loginRouteId_fkey" FOREIGN KEY ("loginRouteId") REFERENCES "OidcModule"("routeId") ON DELETE NO ACTION ON UPDATE CASCADE;
