-- CreateTable
CREATE TABLE "Account" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "ApiKey" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "tokenHash" TEXT NOT NULL,
    "lastUsedAt" DATETIME,
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "IpPolicy" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "IpPolicyRule" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "ipPolicyId" TEXT NOT NULL,
    "cidr" TEXT NOT NULL,
    "range" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    CONSTRAINT "IpPolicyRule_ipPolicyId_fkey" FOREIGN KEY ("ipPolicyId") REFERENCES "IpPolicy" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "IpRestriction" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "enforced" BOOLEAN NOT NULL DEFAULT false,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "IpRestrictionPolicy" (
    "accountId" TEXT NOT NULL,
    "ipRestrictionId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "ipPolicyId" TEXT NOT NULL,

    PRIMARY KEY ("ipRestrictionId", "position"),
    CONSTRAINT "IpRestrictionPolicy_ipRestrictionId_fkey" FOREIGN KEY ("ipRestrictionId") REFERENCES "IpRestriction" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "Account_name_key" ON "Account"("name");

-- CreateIndex
CREATE UNIQUE INDEX "ApiKey_tokenHash_key" ON "ApiKey"("tokenHash");

-- CreateIndex
CREATE INDEX "ApiKey_accountId_id_idx" ON "ApiKey"("accountId", "id");

-- CreateIndex
CREATE INDEX "IpPolicy_accountId_id_idx" ON "IpPolicy"("accountId", "id");

-- CreateIndex
CREATE INDEX "IpPolicyRule_accountId_id_idx" ON "IpPolicyRule"("accountId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "IpPolicyRule_ipPolicyId_range_key" ON "IpPolicyRule"("ipPolicyId", "range");

-- CreateIndex
CREATE INDEX "IpRestriction_accountId_id_idx" ON "IpRestriction"("accountId", "id");

-- CreateIndex
CREATE INDEX "IpRestriction_accountId_type_idx" ON "IpRestriction"("accountId", "type");

-- CreateIndex
CREATE INDEX "IpRestrictionPolicy_ipPolicyId_idx" ON "IpRestrictionPolicy"("ipPolicyId");
