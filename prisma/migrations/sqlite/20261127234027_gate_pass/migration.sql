-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN "passGroups" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "ApiKey" ADD COLUMN "passAt" TEXT;

-- AlterTable
ALTER TABLE "HttpsEdge" ADD COLUMN "signsIdentity" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "HttpsEdge" ADD COLUMN "forwardsKeys" BOOLEAN NOT NULL DEFAULT false;
