-- CreateTable
CREATE TABLE "IdempotencyRecord" (
    "accountId" TEXT NOT NULL,
    "keyHash" TEXT NOT NULL,
    "place" TEXT NOT NULL,
    "requestHash" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "objectId" TEXT,
    "content" BLOB,

    PRIMARY KEY ("accountId", "keyHash", "place")
);

-- CreateIndex
CREATE INDEX "IdempotencyRecord_createdAt_idx" ON "IdempotencyRecord"("createdAt");
