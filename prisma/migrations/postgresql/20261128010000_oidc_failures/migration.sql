-- AlterTable
ALTER TABLE "OidcModule" ADD COLUMN     "failedAt" TIMESTAMP(3),
ADD COLUMN     "failure" TEXT;
