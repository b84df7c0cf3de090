-- DropIndex
DROP INDEX "ConfiguredObject_accountId_document_kind_name_key";

-- AlterTable
ALTER TABLE "ConfiguredObject" ADD COLUMN     "givenBy" TEXT,
ADD COLUMN     "takenBy" TEXT;

-- CreateIndex
CREATE INDEX "ConfiguredObject_accountId_idx" ON "ConfiguredObject"("accountId");
