-- AlterTable
ALTER TABLE "SamlLogin" ADD COLUMN     "deviceHash" TEXT;

-- AlterTable
ALTER TABLE "SamlSession" ADD COLUMN     "deviceHash" TEXT;

-- CreateTable
CREATE TABLE "SamlTarget" (
    "browserHash" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SamlTarget_pkey" PRIMARY KEY ("browserHash")
);

-- CreateIndex
CREATE INDEX "SamlTarget_routeId_idx" ON "SamlTarget"("routeId");

-- CreateIndex
CREATE INDEX "SamlTarget_expiresAt_idx" ON "SamlTarget"("expiresAt");

-- AddForeignKey
ALTER TABLE "SamlTarget" ADD CONSTRAINT "SamlTarget_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "SamlModule"("routeId") ON DELETE CASCADE ON UPDATE CASCADE;
