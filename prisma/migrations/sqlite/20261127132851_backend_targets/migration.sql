-- AlterTable
ALTER TABLE "TunnelGroupBackend" ADD COLUMN "targets" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "TunnelGroupBackend" ADD COLUMN "tls" TEXT NOT NULL DEFAULT 'passthrough';
