-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN     "passAt" TEXT,
ADD COLUMN     "passGroups" JSONB NOT NULL DEFAULT '[]';

-- AlterTable
ALTER TABLE "HttpsEdge" ADD COLUMN     "forwardsKeys" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "signsIdentity" BOOLEAN NOT NULL DEFAULT false;
