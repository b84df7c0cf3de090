-- What API keys may do, and until when. Those that there are may do everything, for ever.

-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN     "scopes" TEXT NOT NULL DEFAULT 'write',
ADD COLUMN     "expiresAt" TIMESTAMP(3);
