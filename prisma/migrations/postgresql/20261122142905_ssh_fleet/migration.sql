-- DropForeignKey
ALTER TABLE "SshRevocation" DROP CONSTRAINT "SshRevocation_sshCertificateAuthorityId_fkey";

-- DropIndex
DROP INDEX "SshHostCertificate_accountId_validUntil_idx";

-- AlterTable
ALTER TABLE "SshCertificateAuthority" ADD COLUMN     "handedOverAt" TIMESTAMP(3),
ADD COLUMN     "retiredAt" TIMESTAMP(3),
ADD COLUMN     "successorId" TEXT;

-- AlterTable
ALTER TABLE "SshHostCertificate" ADD COLUMN     "fingerprint" TEXT,
ADD COLUMN     "replacedById" TEXT,
ADD COLUMN     "sshEnrollmentTokenId" TEXT;

-- AlterTable
ALTER TABLE "SshRevocation" ADD COLUMN     "sshHostCertificateId" TEXT;

-- CreateTable
CREATE TABLE "SshHostCertificateName" (
    "accountId" TEXT NOT NULL,
    "sshHostCertificateId" TEXT NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "SshHostCertificateName_pkey" PRIMARY KEY ("sshHostCertificateId","name")
);

-- CreateTable
CREATE TABLE "SshDeletedAuthority" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "publicKey" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "deletedAt" TIMESTAMP(3) NOT NULL,
    "revocationCount" INTEGER NOT NULL,

    CONSTRAINT "SshDeletedAuthority_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SshEnrollmentToken" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "sshCertificateAuthorityId" TEXT NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "principals" JSONB NOT NULL,
    "keyTypes" JSONB NOT NULL,
    "validitySeconds" INTEGER NOT NULL,
    "maxUses" INTEGER NOT NULL,
    "uses" INTEGER NOT NULL DEFAULT 0,
    "expiresAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SshEnrollmentToken_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SshUsedChallenge" (
    "challengeHash" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "usableUntil" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SshUsedChallenge_pkey" PRIMARY KEY ("challengeHash")
);

-- CreateIndex
CREATE INDEX "SshHostCertificateName_accountId_name_sshHostCertificateId_idx" ON "SshHostCertificateName"("accountId", "name", "sshHostCertificateId");

-- CreateIndex
CREATE INDEX "SshDeletedAuthority_accountId_id_idx" ON "SshDeletedAuthority"("accountId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "SshEnrollmentToken_tokenHash_key" ON "SshEnrollmentToken"("tokenHash");

-- CreateIndex
CREATE INDEX "SshEnrollmentToken_accountId_id_idx" ON "SshEnrollmentToken"("accountId", "id");

-- CreateIndex
CREATE INDEX "SshEnrollmentToken_sshCertificateAuthorityId_id_idx" ON "SshEnrollmentToken"("sshCertificateAuthorityId", "id");

-- CreateIndex
CREATE INDEX "SshUsedChallenge_usableUntil_idx" ON "SshUsedChallenge"("usableUntil");

-- CreateIndex
CREATE UNIQUE INDEX "SshCertificateAuthority_successorId_key" ON "SshCertificateAuthority"("successorId");

-- CreateIndex
CREATE UNIQUE INDEX "SshCertificateAuthority_accountId_publicKey_key" ON "SshCertificateAuthority"("accountId", "publicKey");

-- CreateIndex
CREATE INDEX "SshHostCertificate_accountId_fingerprint_id_idx" ON "SshHostCertificate"("accountId", "fingerprint", "id");

-- CreateIndex
CREATE INDEX "SshHostCertificate_accountId_replacedById_validUntil_id_idx" ON "SshHostCertificate"("accountId", "replacedById", "validUntil", "id");

-- CreateIndex
CREATE INDEX "SshHostCertificate_accountId_validUntil_id_idx" ON "SshHostCertificate"("accountId", "validUntil", "id");

-- CreateIndex
CREATE INDEX "SshRevocation_accountId_sshCertificateAuthorityId_serial_idx" ON "SshRevocation"("accountId", "sshCertificateAuthorityId", "serial");

-- CreateIndex
CREATE INDEX "SshRevocation_accountId_revokedAt_sshCertificateAuthorityId_idx" ON "SshRevocation"("accountId", "revokedAt", "sshCertificateAuthorityId", "serial");

-- CreateIndex
CREATE INDEX "SshRevocation_accountId_sshCertificateAuthorityId_revokedAt_idx" ON "SshRevocation"("accountId", "sshCertificateAuthorityId", "revokedAt", "serial");

-- AddForeignKey
ALTER TABLE "SshHostCertificateName" ADD CONSTRAINT "SshHostCertificateName_sshHostCertificateId_fkey" FOREIGN KEY ("sshHostCertificateId") REFERENCES "SshHostCertificate"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SshEnrollmentToken" ADD CONSTRAINT "SshEnrollmentToken_sshCertificateAuthorityId_fkey" FOREIGN KEY ("sshCertificateAuthorityId") REFERENCES "SshCertificateAuthority"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The principals that certificates have so far. By hand.
INSERT INTO "SshHostCertificateName" ("accountId", "sshHostCertificateId", "name")
SELECT DISTINCT "SshHostCertificate"."accountId", "SshHostCertificate"."id", principal
FROM "SshHostCertificate", jsonb_array_elements_text("SshHostCertificate"."principals") AS principal;
