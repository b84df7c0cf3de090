-- Logins that wait for their browsers begin anew: nobody knows when they were vouched for.
DELETE FROM "SamlLogin";

-- AlterTable
ALTER TABLE "SamlLogin" ADD COLUMN     "issuedAt" TIMESTAMP(3) NOT NULL;

-- CreateTable
CREATE TABLE "SamlLogout" (
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "userHash" TEXT NOT NULL,
    "sessionHash" TEXT NOT NULL,
    "issuedAt" TIMESTAMP(3) NOT NULL,
    "countsUntil" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SamlLogout_pkey" PRIMARY KEY ("routeId","userHash","sessionHash")
);

-- CreateIndex
CREATE INDEX "SamlLogout_countsUntil_idx" ON "SamlLogout"("countsUntil");

-- AddForeignKey
ALTER TABLE "SamlLogout" ADD CONSTRAINT "SamlLogout_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "SamlModule"("routeId") ON DELETE CASCADE ON UPDATE CASCADE;
