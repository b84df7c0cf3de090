-- AlterTable
ALTER TABLE "OidcModule" ADD COLUMN "failedAt" DATETIME;
ALTER TABLE "OidcModule" ADD COLUMN "failure" TEXT;
