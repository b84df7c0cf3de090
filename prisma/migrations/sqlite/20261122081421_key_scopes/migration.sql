-- What API keys may do, and until when. Those that there are may do everything, for ever.

-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN "scopes" TEXT NOT NULL DEFAULT 'write';
ALTER TABLE "ApiKey" ADD COLUMN "expiresAt" DATETIME;
