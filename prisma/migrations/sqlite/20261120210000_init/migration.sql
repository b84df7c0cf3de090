-- CreateTable
CREATE TABLE "Account" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "ServerFact" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" BLOB NOT NULL
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
CREATE TABLE "TunnelGroupBackend" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    "labels" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "HttpsEdge" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    "hostports" JSONB NOT NULL
);

-- CreateTable
CREATE TABLE "HttpsEdgeRoute" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    "edgeId" TEXT NOT NULL,
    "matchType" TEXT NOT NULL,
    "match" TEXT NOT NULL,
    CONSTRAINT "HttpsEdgeRoute_edgeId_fkey" FOREIGN KEY ("edgeId") REFERENCES "HttpsEdge" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "SamlModule" (
    "routeId" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "optionsPassthrough" BOOLEAN NOT NULL,
    "cookiePrefix" TEXT NOT NULL,
    "inactivityTimeout" BIGINT NOT NULL,
    "maximumDuration" BIGINT NOT NULL,
    "idpMetadata" TEXT NOT NULL,
    "identityProvider" JSONB NOT NULL,
    "forceAuthn" BOOLEAN NOT NULL,
    "allowIdpInitiated" BOOLEAN NOT NULL,
    "authorizedGroups" JSONB NOT NULL,
    "nameidFormat" TEXT NOT NULL,
    "certificatePem" TEXT NOT NULL,
    "sealedPrivateKey" BLOB NOT NULL,
    CONSTRAINT "SamlModule_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute" ("id") ON DELETE CASCADE ON UPDATE CASCADE
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

-- CreateTable
CREATE TABLE "SshCertificateAuthority" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    "keyType" TEXT NOT NULL,
    "publicKey" TEXT NOT NULL,
    "sealedPrivateKey" BLOB NOT NULL,
    "revocationCount" INTEGER NOT NULL DEFAULT 0
);

-- CreateTable
CREATE TABLE "SshHostCertificate" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    "sshCertificateAuthorityId" TEXT NOT NULL,
    "publicKey" TEXT NOT NULL,
    "keyType" TEXT NOT NULL,
    "principals" JSONB NOT NULL,
    "validAfter" DATETIME NOT NULL,
    "validUntil" DATETIME NOT NULL,
    "serial" BIGINT NOT NULL,
    "certificate" TEXT NOT NULL,
    CONSTRAINT "SshHostCertificate_sshCertificateAuthorityId_fkey" FOREIGN KEY ("sshCertificateAuthorityId") REFERENCES "SshCertificateAuthority" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "SshRevocation" (
    "accountId" TEXT NOT NULL,
    "sshCertificateAuthorityId" TEXT NOT NULL,
    "serial" BIGINT NOT NULL,
    "validUntil" DATETIME NOT NULL,
    "revokedAt" DATETIME NOT NULL,

    PRIMARY KEY ("sshCertificateAuthorityId", "serial"),
    CONSTRAINT "SshRevocation_sshCertificateAuthorityId_fkey" FOREIGN KEY ("sshCertificateAuthorityId") REFERENCES "SshCertificateAuthority" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "TlsEdge" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    "hostports" JSONB NOT NULL
);

-- CreateTable
CREATE TABLE "TlsBackendModule" (
    "edgeId" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "backendId" TEXT NOT NULL,
    CONSTRAINT "TlsBackendModule_edgeId_fkey" FOREIGN KEY ("edgeId") REFERENCES "TlsEdge" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "TlsBackendModule_backendId_fkey" FOREIGN KEY ("backendId") REFERENCES "TunnelGroupBackend" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "TlsPolicyModule" (
    "edgeId" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "inbound" TEXT,
    "outbound" TEXT,
    CONSTRAINT "TlsPolicyModule_edgeId_fkey" FOREIGN KEY ("edgeId") REFERENCES "TlsEdge" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "Account_name_key" ON "Account"("name");

-- CreateIndex
CREATE UNIQUE INDEX "ApiKey_tokenHash_key" ON "ApiKey"("tokenHash");

-- CreateIndex
CREATE INDEX "ApiKey_accountId_id_idx" ON "ApiKey"("accountId", "id");

-- CreateIndex
CREATE INDEX "TunnelGroupBackend_accountId_id_idx" ON "TunnelGroupBackend"("accountId", "id");

-- CreateIndex
CREATE INDEX "HttpsEdge_accountId_id_idx" ON "HttpsEdge"("accountId", "id");

-- CreateIndex
CREATE INDEX "HttpsEdgeRoute_accountId_id_idx" ON "HttpsEdgeRoute"("accountId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "HttpsEdgeRoute_edgeId_match_key" ON "HttpsEdgeRoute"("edgeId", "match");

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

-- CreateIndex
CREATE INDEX "SshCertificateAuthority_accountId_id_idx" ON "SshCertificateAuthority"("accountId", "id");

-- CreateIndex
CREATE INDEX "SshHostCertificate_accountId_id_idx" ON "SshHostCertificate"("accountId", "id");

-- CreateIndex
CREATE INDEX "SshHostCertificate_accountId_validUntil_idx" ON "SshHostCertificate"("accountId", "validUntil");

-- CreateIndex
CREATE UNIQUE INDEX "SshHostCertificate_sshCertificateAuthorityId_serial_key" ON "SshHostCertificate"("sshCertificateAuthorityId", "serial");

-- CreateIndex
CREATE INDEX "TlsEdge_accountId_id_idx" ON "TlsEdge"("accountId", "id");

-- CreateIndex
CREATE INDEX "TlsBackendModule_backendId_idx" ON "TlsBackendModule"("backendId");
