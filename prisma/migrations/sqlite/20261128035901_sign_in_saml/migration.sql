-- By hand: the tool would copy the table, because it does not know its JSON defaults.
ALTER TABLE "SignInProvider" ADD COLUMN "protocol" TEXT NOT NULL DEFAULT 'oidc';
ALTER TABLE "SignInProvider" ADD COLUMN "idpMetadata" TEXT;
ALTER TABLE "SignInProvider" ADD COLUMN "identityProvider" JSONB;
ALTER TABLE "SignInProvider" ADD COLUMN "nameidFormat" TEXT;
ALTER TABLE "SignInProvider" ADD COLUMN "subjectAttribute" TEXT;
ALTER TABLE "SignInProvider" ADD COLUMN "emailAttribute" TEXT;
ALTER TABLE "SignInProvider" ADD COLUMN "nameAttribute" TEXT;
ALTER TABLE "SignInProvider" ADD COLUMN "certificatePem" TEXT;
ALTER TABLE "SignInProvider" ADD COLUMN "sealedPrivateKey" BLOB;
ALTER TABLE "SignInProvider" ADD COLUMN "encryptionCertificatePem" TEXT;
ALTER TABLE "SignInProvider" ADD COLUMN "sealedDecryptionKeys" BLOB;
ALTER TABLE "SignInProvider" ADD COLUMN "place" INTEGER;
CREATE UNIQUE INDEX "SignInProvider_accountId_place_key" ON "SignInProvider"("accountId", "place");
