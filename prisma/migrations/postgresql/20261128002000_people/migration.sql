-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN     "personId" TEXT;

-- AlterTable
ALTER TABLE "DashboardSession" ADD COLUMN     "personId" TEXT,
ALTER COLUMN "apiKeyId" DROP NOT NULL;

-- CreateTable
CREATE TABLE "Role" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Role_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SignInProvider" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "refusesKeys" BOOLEAN NOT NULL DEFAULT false,
    "roleMappings" JSONB NOT NULL DEFAULT '[]',
    "issuer" TEXT NOT NULL,
    "clientId" TEXT NOT NULL,
    "sealedClientSecret" BYTEA,
    "scopes" JSONB NOT NULL DEFAULT '[]',
    "groupsClaim" TEXT NOT NULL,
    "emailVerification" TEXT NOT NULL,
    "authorizedEmailDomains" JSONB NOT NULL DEFAULT '[]',
    "acceptsFrom" TIMESTAMP(3) NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SignInProvider_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Person" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "providerId" TEXT NOT NULL,
    "subjectHash" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "groups" JSONB NOT NULL DEFAULT '[]',
    "blocked" BOOLEAN NOT NULL DEFAULT false,
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,
    "signedInAt" TIMESTAMP(3) NOT NULL,
    "lastSeenAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Person_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "UsedSignIn" (
    "accountId" TEXT NOT NULL,
    "providerId" TEXT NOT NULL,
    "idHash" TEXT NOT NULL,
    "usableUntil" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "UsedSignIn_pkey" PRIMARY KEY ("providerId","idHash")
);

-- CreateIndex
CREATE INDEX "Role_accountId_id_idx" ON "Role"("accountId", "id");

-- CreateIndex
CREATE INDEX "Role_accountId_updatedAt_id_idx" ON "Role"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Role_accountId_name_key" ON "Role"("accountId", "name");

-- CreateIndex
CREATE INDEX "SignInProvider_accountId_id_idx" ON "SignInProvider"("accountId", "id");

-- CreateIndex
CREATE INDEX "SignInProvider_accountId_updatedAt_id_idx" ON "SignInProvider"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "SignInProvider_accountId_name_key" ON "SignInProvider"("accountId", "name");

-- CreateIndex
CREATE INDEX "Person_accountId_id_idx" ON "Person"("accountId", "id");

-- CreateIndex
CREATE INDEX "Person_accountId_updatedAt_id_idx" ON "Person"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Person_providerId_subjectHash_key" ON "Person"("providerId", "subjectHash");

-- CreateIndex
CREATE INDEX "UsedSignIn_usableUntil_idx" ON "UsedSignIn"("usableUntil");

-- CreateIndex
CREATE INDEX "ApiKey_personId_id_idx" ON "ApiKey"("personId", "id");

-- CreateIndex
CREATE INDEX "DashboardSession_personId_id_idx" ON "DashboardSession"("personId", "id");

-- AddForeignKey
ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_personId_fkey" FOREIGN KEY ("personId") REFERENCES "Person"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "DashboardSession" ADD CONSTRAINT "DashboardSession_personId_fkey" FOREIGN KEY ("personId") REFERENCES "Person"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "UsedSignIn" ADD CONSTRAINT "UsedSignIn_providerId_fkey" FOREIGN KEY ("providerId") REFERENCES "SignInProvider"("id") ON DELETE CASCADE ON UPDATE CASCADE;
