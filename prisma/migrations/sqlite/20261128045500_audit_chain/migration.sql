-- CreateTable
CREATE TABLE "AuditChain" (
    "accountId" TEXT NOT NULL PRIMARY KEY,
    "sealedKey" BLOB NOT NULL,
    "publicKey" TEXT NOT NULL,
    "commitOrder" BIGINT NOT NULL,
    "eventId" TEXT NOT NULL,
    "size" INTEGER NOT NULL DEFAULT 0,
    "checkpoints" INTEGER NOT NULL DEFAULT 0,
    "head" TEXT NOT NULL DEFAULT '',
    "openedAt" DATETIME,
    "prunedBefore" TEXT NOT NULL DEFAULT '',
    "prunedSignature" TEXT NOT NULL DEFAULT '',
    "token" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "AuditSegment" (
    "accountId" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "leaves" TEXT NOT NULL,
    "afterOrder" BIGINT NOT NULL,
    "afterId" TEXT NOT NULL,
    "untilOrder" BIGINT NOT NULL,
    "untilId" TEXT NOT NULL,

    PRIMARY KEY ("accountId", "number")
);

-- CreateTable
CREATE TABLE "AuditCheckpoint" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "size" INTEGER NOT NULL,
    "digest" TEXT NOT NULL,
    "head" TEXT NOT NULL,
    "signature" TEXT NOT NULL,
    "publicKey" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "AuditCheckpoint_accountId_id_idx" ON "AuditCheckpoint"("accountId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "AuditCheckpoint_accountId_number_key" ON "AuditCheckpoint"("accountId", "number");
