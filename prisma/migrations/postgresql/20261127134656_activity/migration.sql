-- CreateTable
CREATE TABLE "ActivityInterval" (
    "accountId" TEXT NOT NULL,
    "minutes" INTEGER NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,
    "keptUntil" TIMESTAMP(3) NOT NULL,
    "requests" INTEGER NOT NULL,
    "failedRequests" INTEGER NOT NULL,
    "brokenRequests" INTEGER NOT NULL,
    "apiWarned" INTEGER NOT NULL,
    "gateAllowed" INTEGER NOT NULL,
    "gateWarned" INTEGER NOT NULL,
    "gateLogins" INTEGER NOT NULL,
    "gateRefused" INTEGER NOT NULL,

    CONSTRAINT "ActivityInterval_pkey" PRIMARY KEY ("accountId","minutes","at")
);

-- CreateIndex
CREATE INDEX "ActivityInterval_keptUntil_idx" ON "ActivityInterval"("keptUntil");
