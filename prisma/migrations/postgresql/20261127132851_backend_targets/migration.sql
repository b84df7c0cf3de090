-- AlterTable
ALTER TABLE "TunnelGroupBackend" ADD COLUMN "targets" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN "tls" TEXT NOT NULL DEFAULT 'passthrough';
