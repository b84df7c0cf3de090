-- DropIndex
DROP INDEX "SshHostCertificate_accountId_validUntil_idx";

-- AlterTable
ALTER TABLE "SshCertificateAuthority" ADD COLUMN "handedOverAt" DATETIME;
ALTER TABLE "SshCertificateAuthority" ADD COLUMN "retiredAt" DATETIME;
ALTER TABLE "SshCertificateAuthority" ADD COLUMN "successorId" TEXT;

-- AlterTable
ALTER TABLE "SshHostCertificate" ADD COLUMN "fingerprint" TEXT;
ALTER TABLE "SshHostCertificate" ADD COLUMN "replacedById" TEXT;
ALTER TABLE "SshHostCertificate" ADD COLUMN "sshEnrollmentTokenId" TEXT;

-- CreateTable
CREATE TABLE "SshHostCertificateName" (
    "accountId" TEXT NOT NULL,
    "sshHostCertificateId" TEXT NOT NULL,
    "name" TEXT NOT NULL,

    PRIMARY KEY ("sshHostCertificateId", "name"),
    CONSTRAINT "SshHostCertificateName_sshHostCertificateId_fkey" FOREIGN KEY ("sshHostCertificateId") REFERENCES "SshHostCertificate" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "SshDeletedAuthority" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "publicKey" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "deletedAt" DATETIME NOT NULL,
    "revocationCount" INTEGER NOT NULL
);

-- CreateTable
CREATE TABLE "SshEnrollmentToken" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    "sshCertificateAuthorityId" TEXT NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "principals" JSONB NOT NULL,
    "keyTypes" JSONB NOT NULL,
    "validitySeconds" INTEGER NOT NULL,
    "maxUses" INTEGER NOT NULL,
    "uses" INTEGER NOT NULL DEFAULT 0,
    "expiresAt" DATETIME NOT NULL,
    CONSTRAINT "SshEnrollmentToken_sshCertificateAuthorityId_fkey" FOREIGN KEY ("sshCertificateAuthorityId") REFERENCES "SshCertificateAuthority" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "SshUsedChallenge" (
    "challengeHash" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "usableUntil" DATETIME NOT NULL
);

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_SshRevocation" (
    "accountId" TEXT NOT NULL,
    "sshCertificateAuthorityId" TEXT NOT NULL,
    "serial" BIGINT NOT NULL,
    "sshHostCertificateId" TEXT,
    "validUntil" DATETIME NOT NULL,
    "revokedAt" DATETIME NOT NULL,

    PRIMARY KEY ("sshCertificateAuthorityId", "serial")
);
INSERT INTO "new_SshRevocation" ("accountId", "revokedAt", "serial", "sshCertificateAuthorityId", "validUntil") SELECT "accountId", "revokedAt", "serial", "sshCertificateAuthorityId", "validUntil" FROM "SshRevocation";
DROP TABLE "SshRevocation";
ALTER TABLE "new_SshRevocation" RENAME TO "SshRevocation";
CREATE INDEX "SshRevocation_accountId_sshCertificateAuthorityId_serial_idx" ON "SshRevocation"("accountId", "sshCertificateAuthorityId", "serial");
CREATE INDEX "SshRevocation_accountId_revokedAt_sshCertificateAuthorityId_serial_idx" ON "SshRevocation"("accountId", "revokedAt", "sshCertificateAuthorityId", "serial");
CREATE INDEX "SshRevocation_accountId_sshCertificateAuthorityId_revokedAt_serial_idx" ON "SshRevocation"("accountId", "sshCertificateAuthorityId", "revokedAt", "serial");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

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

-- The principals that certificates have so far. By hand: in SQLite, a Json is text.
INSERT INTO "SshHostCertificateName" ("accountId", "sshHostCertificateId", "name")
SELECT DISTINCT "SshHostCertificate"."accountId", "SshHostCertificate"."id", principal."value"
FROM "SshHostCertificate", json_each("SshHostCertificate"."principals") AS principal;
