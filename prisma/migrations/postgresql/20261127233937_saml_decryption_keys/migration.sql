-- AlterTable
ALTER TABLE "SamlModule" ADD COLUMN     "encryptionCertificatePem" TEXT,
ADD COLUMN     "sealedDecryptionKeys" BYTEA;
