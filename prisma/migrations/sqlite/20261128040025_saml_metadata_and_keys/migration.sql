-- AlterTable
ALTER TABLE "SamlModule" ADD COLUMN "idpMetadataUrl" TEXT NOT NULL DEFAULT '';
ALTER TABLE "SamlModule" ADD COLUMN "idpEntityId" TEXT NOT NULL DEFAULT '';
ALTER TABLE "SamlModule" ADD COLUMN "metadataReadAt" DATETIME;
ALTER TABLE "SamlModule" ADD COLUMN "metadataFailure" TEXT;
ALTER TABLE "SamlModule" ADD COLUMN "metadataFailedAt" DATETIME;
ALTER TABLE "SamlModule" ADD COLUMN "metadataKeysAt" DATETIME;
ALTER TABLE "SamlModule" ADD COLUMN "metadataNextAt" DATETIME;
ALTER TABLE "SamlModule" ADD COLUMN "nextCertificatePem" TEXT;
ALTER TABLE "SamlModule" ADD COLUMN "sealedNextKey" BLOB;
ALTER TABLE "SamlModule" ADD COLUMN "formerCertificatePem" TEXT;
ALTER TABLE "SamlModule" ADD COLUMN "rotatedAt" DATETIME;

-- CreateIndex
CREATE INDEX "SamlModule_metadataNextAt_idx" ON "SamlModule"("metadataNextAt");
