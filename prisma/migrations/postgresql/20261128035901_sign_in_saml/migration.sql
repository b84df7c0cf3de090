-- AlterTable
ALTER TABLE "SignInProvider" ADD COLUMN     "certificatePem" TEXT,
ADD COLUMN     "emailAttribute" TEXT,
ADD COLUMN     "encryptionCertificatePem" TEXT,
ADD COLUMN     "identityProvider" JSONB,
ADD COLUMN     "idpMetadata" TEXT,
ADD COLUMN     "nameAttribute" TEXT,
ADD COLUMN     "nameidFormat" TEXT,
ADD COLUMN     "place" INTEGER,
ADD COLUMN     "protocol" TEXT NOT NULL DEFAULT 'oidc',
ADD COLUMN     "sealedDecryptionKeys" BYTEA,
ADD COLUMN     "sealedPrivateKey" BYTEA,
ADD COLUMN     "subjectAttribute" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "SignInProvider_accountId_place_key" ON "SignInProvider"("accountId", "place");
