-- AlterTable
ALTER TABLE "SignInProvider" ADD COLUMN     "idpEntityId" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "idpMetadataUrl" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "metadataFailedAt" TIMESTAMP(3),
ADD COLUMN     "metadataFailure" TEXT,
ADD COLUMN     "metadataKeysAt" TIMESTAMP(3),
ADD COLUMN     "metadataNextAt" TIMESTAMP(3),
ADD COLUMN     "metadataReadAt" TIMESTAMP(3);

-- CreateIndex
CREATE INDEX "SignInProvider_metadataNextAt_idx" ON "SignInProvider"("metadataNextAt");
