-- CreateTable
CREATE TABLE "Webhook" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "events" JSONB NOT NULL,
    "objectIds" JSONB NOT NULL DEFAULT '[]',
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "sealedSecret" BLOB NOT NULL,
    "sealedFormerSecret" BLOB,
    "formerSecretUntil" DATETIME,
    "askedAt" DATETIME,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "WebhookLane" (
    "webhookId" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "commitOrder" BIGINT NOT NULL,
    "eventId" TEXT NOT NULL,
    "leaseNumber" INTEGER NOT NULL DEFAULT 0,
    "leaseUntil" DATETIME NOT NULL,
    "failingSince" DATETIME,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "pausedUntil" DATETIME,
    "deliveredAt" DATETIME,
    CONSTRAINT "WebhookLane_webhookId_fkey" FOREIGN KEY ("webhookId") REFERENCES "Webhook" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "WebhookDelivery" (
    "webhookId" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "objectId" TEXT NOT NULL,
    "place" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "body" TEXT,
    "since" DATETIME NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "triedAt" DATETIME,
    "nextAt" DATETIME NOT NULL,
    "status" INTEGER,
    "answer" TEXT NOT NULL DEFAULT '',
    "failure" TEXT,

    PRIMARY KEY ("webhookId", "messageId"),
    CONSTRAINT "WebhookDelivery_webhookId_fkey" FOREIGN KEY ("webhookId") REFERENCES "Webhook" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "Webhook_accountId_id_idx" ON "Webhook"("accountId", "id");

-- CreateIndex
CREATE INDEX "Webhook_accountId_updatedAt_id_idx" ON "Webhook"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "WebhookLane_accountId_idx" ON "WebhookLane"("accountId");

-- CreateIndex
CREATE INDEX "WebhookDelivery_webhookId_state_since_messageId_idx" ON "WebhookDelivery"("webhookId", "state", "since", "messageId");

-- CreateIndex
CREATE INDEX "WebhookDelivery_state_nextAt_idx" ON "WebhookDelivery"("state", "nextAt");

-- CreateIndex
CREATE INDEX "WebhookDelivery_accountId_idx" ON "WebhookDelivery"("accountId");

-- CreateTable
CREATE TABLE "WebhookAttention" (
    "accountId" TEXT NOT NULL PRIMARY KEY,
    "items" TEXT NOT NULL,
    "token" TEXT NOT NULL
);
