-- AlterTable
ALTER TABLE "Webhook" ADD COLUMN     "format" TEXT NOT NULL DEFAULT 'standard';

-- AlterTable
ALTER TABLE "WebhookAttention" ADD COLUMN     "digestDay" TEXT;
