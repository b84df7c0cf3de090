-- Logins that are under way begin anew, and so do sessions, whose users log in once more: nobody knows their addresses.
DELETE FROM "SamlLogin";
DELETE FROM "SamlSession";

-- DropIndex
DROP INDEX "SamlLogin_routeId_expiresAt_idx";

-- DropIndex
DROP INDEX "SamlLogin_ticketHash_key";

-- DropIndex
DROP INDEX "SamlSession_routeId_idx";

-- AlterTable
ALTER TABLE "SamlLogin" DROP CONSTRAINT "SamlLogin_pkey",
DROP COLUMN "createdAt",
DROP COLUMN "id",
DROP COLUMN "requestId",
ALTER COLUMN "ticketHash" SET NOT NULL,
ALTER COLUMN "person" DROP DEFAULT,
ADD CONSTRAINT "SamlLogin_pkey" PRIMARY KEY ("ticketHash");

-- AlterTable
ALTER TABLE "SamlSession" DROP CONSTRAINT "SamlSession_pkey",
ADD COLUMN     "clientAddress" TEXT NOT NULL,
ADD COLUMN     "id" TEXT NOT NULL,
ADD COLUMN     "sessionIndex" TEXT,
ADD COLUMN     "userHash" TEXT NOT NULL,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1,
ADD CONSTRAINT "SamlSession_pkey" PRIMARY KEY ("id");

-- CreateIndex
CREATE INDEX "SamlLogin_routeId_idx" ON "SamlLogin"("routeId");

-- CreateIndex
CREATE UNIQUE INDEX "SamlSession_tokenHash_key" ON "SamlSession"("tokenHash");

-- CreateIndex
CREATE INDEX "SamlSession_accountId_id_idx" ON "SamlSession"("accountId", "id");

-- CreateIndex
CREATE INDEX "SamlSession_routeId_id_idx" ON "SamlSession"("routeId", "id");

-- CreateIndex
CREATE INDEX "SamlSession_routeId_userHash_id_idx" ON "SamlSession"("routeId", "userHash", "id");
