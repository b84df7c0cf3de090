-- AlterTable
ALTER TABLE "SamlLogin" ADD COLUMN "deviceHash" TEXT;

-- AlterTable
ALTER TABLE "SamlSession" ADD COLUMN "deviceHash" TEXT;

-- CreateTable
CREATE TABLE "SamlTarget" (
    "browserHash" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "expiresAt" DATETIME NOT NULL,
    CONSTRAINT "SamlTarget_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "SamlModule" ("routeId") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "SamlTarget_routeId_idx" ON "SamlTarget"("routeId");

-- CreateIndex
CREATE INDEX "SamlTarget_expiresAt_idx" ON "SamlTarget"("expiresAt");
