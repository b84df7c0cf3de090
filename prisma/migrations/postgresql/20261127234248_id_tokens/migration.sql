-- AlterTable
ALTER TABLE "LoginSession" ADD COLUMN     "idToken" BYTEA;

-- AlterTable
ALTER TABLE "SamlLogin" ADD COLUMN     "idToken" BYTEA;
