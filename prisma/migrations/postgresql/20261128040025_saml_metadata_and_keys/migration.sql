-- AlterTable
ALTER TABLE "SamlModule" ADD COLUMN     "formerCertificatePem" TEXT,
ADD COLUMN     "idpEntityId" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "idpMetadataUrl" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "metadataFailedAt" TIMESTAMP(3),
ADD COLUMN     "metadataFailure" TEXT,
ADD COLUMN     "metadataKeysAt" TIMESTAMP(3),
ADD COLUMN     "metadataNextAt" TIMESTAMP(3),
ADD COLUMN     "metadataReadAt" TIMESTAMP(3),
ADD COLUMN     "nextCertificatePem" TEXT,
ADD COLUMN     "rotatedAt" TIMESTAMP(3),
ADD COLUMN     "sealedNextKey" BYTEA;

-- CreateIndex
CREATE INDEX "SamlModule_metadataNextAt_idx" ON "SamlModule"("metadataNextAt");
