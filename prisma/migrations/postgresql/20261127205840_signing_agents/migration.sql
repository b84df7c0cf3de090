-- AlterTable
ALTER TABLE "SshCertificateAuthority" ADD COLUMN     "signingAgent" TEXT;
