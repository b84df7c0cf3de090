-- DropForeignKey
ALTER TABLE "LoginSession" DROP CONSTRAINT "LoginSession_routeId_fkey";

-- DropForeignKey
ALTER TABLE "SamlLogin" DROP CONSTRAINT "SamlLogin_routeId_fkey";

-- DropForeignKey
ALTER TABLE "SamlLogout" DROP CONSTRAINT "SamlLogout_routeId_fkey";

-- DropForeignKey
ALTER TABLE "SamlTarget" DROP CONSTRAINT "SamlTarget_routeId_fkey";

-- DropForeignKey
ALTER TABLE "SamlUsedAssertion" DROP CONSTRAINT "SamlUsedAssertion_routeId_fkey";

-- CreateTable
CREATE TABLE "OidcModule" (
    "routeId" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "optionsPassthrough" BOOLEAN NOT NULL,
    "cookiePrefix" TEXT NOT NULL,
    "inactivityTimeout" BIGINT NOT NULL,
    "maximumDuration" BIGINT NOT NULL,
    "issuer" TEXT NOT NULL,
    "clientId" TEXT NOT NULL,
    "sealedClientSecret" BYTEA,
    "scopes" JSONB NOT NULL,
    "authorizedGroups" JSONB NOT NULL,
    "authorizedEmailDomains" JSONB NOT NULL,
    "groupsClaim" TEXT NOT NULL,
    "emailVerification" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "OidcModule_pkey" PRIMARY KEY ("routeId")
);

-- AddForeignKey
ALTER TABLE "OidcModule" ADD CONSTRAINT "OidcModule_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SamlTarget" ADD CONSTRAINT "SamlTarget_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SamlLogin" ADD CONSTRAINT "SamlLogin_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SamlUsedAssertion" ADD CONSTRAINT "SamlUsedAssertion_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SamlLogout" ADD CONSTRAINT "SamlLogout_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "LoginSession" ADD CONSTRAINT "LoginSession_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute"("id") ON DELETE CASCADE ON UPDATE CASCADE;
