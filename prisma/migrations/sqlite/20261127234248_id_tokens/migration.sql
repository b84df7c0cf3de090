-- AlterTable
ALTER TABLE "LoginSession" ADD COLUMN "idToken" BLOB;

-- AlterTable
ALTER TABLE "SamlLogin" ADD COLUMN "idToken" BLOB;
