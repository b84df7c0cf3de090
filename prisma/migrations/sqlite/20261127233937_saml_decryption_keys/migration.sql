-- AlterTable
ALTER TABLE "SamlModule" ADD COLUMN "encryptionCertificatePem" TEXT;
ALTER TABLE "SamlModule" ADD COLUMN "sealedDecryptionKeys" BLOB;
