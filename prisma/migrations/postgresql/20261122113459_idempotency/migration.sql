-- CreateTable
CREATE TABLE "IdempotencyRecord" (
    "accountId" TEXT NOT NULL,
    "keyHash" TEXT NOT NULL,
    "place" TEXT NOT NULL,
    "requestHash" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "objectId" TEXT,
    "content" BYTEA,

    CONSTRAINT "IdempotencyRecord_pkey" PRIMARY KEY ("accountId","keyHash","place")
);

-- CreateIndex
CREATE INDEX "IdempotencyRecord_createdAt_idx" ON "IdempotencyRecord"("createdAt");
