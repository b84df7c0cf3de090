-- AlterTable
ALTER TABLE "SignInProvider" ADD COLUMN "idpMetadataUrl" TEXT NOT NULL DEFAULT '';
ALTER TABLE "SignInProvider" ADD COLUMN "idpEntityId" TEXT NOT NULL DEFAULT '';
ALTER TABLE "SignInProvider" ADD COLUMN "metadataReadAt" DATETIME;
ALTER TABLE "SignInProvider" ADD COLUMN "metadataFailure" TEXT;
ALTER TABLE "SignInProvider" ADD COLUMN "metadataFailedAt" DATETIME;
ALTER TABLE "SignInProvider" ADD COLUMN "metadataKeysAt" DATETIME;
ALTER TABLE "SignInProvider" ADD COLUMN "metadataNextAt" DATETIME;

-- CreateIndex
CREATE INDEX "SignInProvider_metadataNextAt_idx" ON "SignInProvider"("metadataNextAt");
