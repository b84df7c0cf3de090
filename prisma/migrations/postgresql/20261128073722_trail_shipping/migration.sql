-- CreateTable
CREATE TABLE "TrailReceiver" (
    "name" TEXT NOT NULL,
    "leaseNumber" INTEGER NOT NULL DEFAULT 0,
    "leaseUntil" TIMESTAMP(3) NOT NULL,
    "shippedAt" TIMESTAMP(3),
    "failingSince" TIMESTAMP(3),
    "failure" TEXT,
    "rejected" INTEGER NOT NULL DEFAULT 0,
    "rejection" TEXT,

    CONSTRAINT "TrailReceiver_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "TrailPosition" (
    "receiver" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "commitOrder" BIGINT NOT NULL,
    "eventId" TEXT NOT NULL,

    CONSTRAINT "TrailPosition_pkey" PRIMARY KEY ("receiver","accountId")
);
