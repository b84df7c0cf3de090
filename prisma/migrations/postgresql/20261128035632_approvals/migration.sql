-- CreateTable
CREATE TABLE "ApprovalSettings" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "required" BOOLEAN NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "ApprovalSettings_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ApprovalRequest" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "mutation" TEXT NOT NULL,
    "summary" TEXT NOT NULL,
    "input" TEXT NOT NULL,
    "callHash" TEXT NOT NULL,
    "scopes" TEXT NOT NULL,
    "requesterId" TEXT NOT NULL,
    "requesterName" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'open',
    "deciderId" TEXT,
    "deciderName" TEXT NOT NULL DEFAULT '',
    "decidedAt" TIMESTAMP(3),
    "expiresAt" TIMESTAMP(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "ApprovalRequest_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "ApprovalSettings_accountId_key" ON "ApprovalSettings"("accountId");

-- CreateIndex
CREATE INDEX "ApprovalSettings_accountId_id_idx" ON "ApprovalSettings"("accountId", "id");

-- CreateIndex
CREATE INDEX "ApprovalSettings_accountId_updatedAt_id_idx" ON "ApprovalSettings"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "ApprovalRequest_accountId_id_idx" ON "ApprovalRequest"("accountId", "id");

-- CreateIndex
CREATE INDEX "ApprovalRequest_accountId_updatedAt_id_idx" ON "ApprovalRequest"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "ApprovalRequest_accountId_state_expiresAt_idx" ON "ApprovalRequest"("accountId", "state", "expiresAt");

-- CreateIndex
CREATE INDEX "ApprovalRequest_expiresAt_idx" ON "ApprovalRequest"("expiresAt");
