-- CreateTable
CREATE TABLE "ActivityInterval" (
    "accountId" TEXT NOT NULL,
    "minutes" INTEGER NOT NULL,
    "at" DATETIME NOT NULL,
    "keptUntil" DATETIME NOT NULL,
    "requests" INTEGER NOT NULL,
    "failedRequests" INTEGER NOT NULL,
    "brokenRequests" INTEGER NOT NULL,
    "apiWarned" INTEGER NOT NULL,
    "gateAllowed" INTEGER NOT NULL,
    "gateWarned" INTEGER NOT NULL,
    "gateLogins" INTEGER NOT NULL,
    "gateRefused" INTEGER NOT NULL,

    PRIMARY KEY ("accountId", "minutes", "at")
);

-- CreateIndex
CREATE INDEX "ActivityInterval_keptUntil_idx" ON "ActivityInterval"("keptUntil");
