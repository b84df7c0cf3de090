-- CreateTable
CREATE TABLE "Webhook" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "events" JSONB NOT NULL,
    "objectIds" JSONB NOT NULL DEFAULT '[]',
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "sealedSecret" BYTEA NOT NULL,
    "sealedFormerSecret" BYTEA,
    "formerSecretUntil" TIMESTAMP(3),
    "askedAt" TIMESTAMP(3),
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "WebhookLane" (
    "webhookId" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "commitOrder" BIGINT NOT NULL,
    "eventId" TEXT NOT NULL,
    "leaseNumber" INTEGER NOT NULL DEFAULT 0,
    "leaseUntil" TIMESTAMP(3) NOT NULL,
    "failingSince" TIMESTAMP(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "pausedUntil" TIMESTAMP(3),
    "deliveredAt" TIMESTAMP(3),

    CONSTRAINT "WebhookLane_pkey" PRIMARY KEY ("webhookId")
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
    "since" TIMESTAMP(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "triedAt" TIMESTAMP(3),
    "nextAt" TIMESTAMP(3) NOT NULL,
    "status" INTEGER,
    "answer" TEXT NOT NULL DEFAULT '',
    "failure" TEXT,

    CONSTRAINT "WebhookDelivery_pkey" PRIMARY KEY ("webhookId","messageId")
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

-- AddForeignKey
ALTER TABLE "WebhookLane" ADD CONSTRAINT "WebhookLane_webhookId_fkey" FOREIGN KEY ("webhookId") REFERENCES "Webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WebhookDelivery" ADD CONSTRAINT "WebhookDelivery_webhookId_fkey" FOREIGN KEY ("webhookId") REFERENCES "Webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "WebhookAttention" (
    "accountId" TEXT NOT NULL,
    "items" TEXT NOT NULL,
    "token" TEXT NOT NULL,

    CONSTRAINT "WebhookAttention_pkey" PRIMARY KEY ("accountId")
);
