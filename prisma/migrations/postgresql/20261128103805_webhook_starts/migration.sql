-- AlterTable
ALTER TABLE "WebhookLane" ADD COLUMN     "seen" TEXT;
