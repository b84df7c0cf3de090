-- CreateTable
CREATE TABLE "AuditChain" (
    "accountId" TEXT NOT NULL,
    "sealedKey" BYTEA NOT NULL,
    "publicKey" TEXT NOT NULL,
    "commitOrder" BIGINT NOT NULL,
    "eventId" TEXT NOT NULL,
    "size" INTEGER NOT NULL DEFAULT 0,
    "checkpoints" INTEGER NOT NULL DEFAULT 0,
    "head" TEXT NOT NULL DEFAULT '',
    "openedAt" TIMESTAMP(3),
    "prunedBefore" TEXT NOT NULL DEFAULT '',
    "prunedSignature" TEXT NOT NULL DEFAULT '',
    "token" TEXT NOT NULL,

    CONSTRAINT "AuditChain_pkey" PRIMARY KEY ("accountId")
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

    CONSTRAINT "AuditSegment_pkey" PRIMARY KEY ("accountId","number")
);

-- CreateTable
CREATE TABLE "AuditCheckpoint" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "size" INTEGER NOT NULL,
    "digest" TEXT NOT NULL,
    "head" TEXT NOT NULL,
    "signature" TEXT NOT NULL,
    "publicKey" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "AuditCheckpoint_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "AuditCheckpoint_accountId_id_idx" ON "AuditCheckpoint"("accountId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "AuditCheckpoint_accountId_number_key" ON "AuditCheckpoint"("accountId", "number");
