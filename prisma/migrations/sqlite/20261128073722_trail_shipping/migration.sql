-- CreateTable
CREATE TABLE "TrailReceiver" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "leaseNumber" INTEGER NOT NULL DEFAULT 0,
    "leaseUntil" DATETIME NOT NULL,
    "shippedAt" DATETIME,
    "failingSince" DATETIME,
    "failure" TEXT,
    "rejected" INTEGER NOT NULL DEFAULT 0,
    "rejection" TEXT
);

-- CreateTable
CREATE TABLE "TrailPosition" (
    "receiver" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "commitOrder" BIGINT NOT NULL,
    "eventId" TEXT NOT NULL,

    PRIMARY KEY ("receiver", "accountId")
);
