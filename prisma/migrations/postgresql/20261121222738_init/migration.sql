-- CreateTable
CREATE TABLE "Account" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ServerFact" (
    "name" TEXT NOT NULL,
    "value" BYTEA NOT NULL,

    CONSTRAINT "ServerFact_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "ApiKey" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "tokenHash" TEXT NOT NULL,
    "lastUsedAt" TIMESTAMP(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "ApiKey_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "TunnelGroupBackend" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "labels" TEXT NOT NULL,

    CONSTRAINT "TunnelGroupBackend_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "HttpsEdge" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "hostports" JSONB NOT NULL,
    "routeCount" INTEGER NOT NULL DEFAULT 0,
    "moduleBytes" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "HttpsEdge_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "HttpsEdgeRoute" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "edgeId" TEXT NOT NULL,
    "matchType" TEXT NOT NULL,
    "match" TEXT NOT NULL,

    CONSTRAINT "HttpsEdgeRoute_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SamlModule" (
    "routeId" TEXT NOT NULL,
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
    "bytes" INTEGER NOT NULL DEFAULT 0,
    "nameidFormat" TEXT NOT NULL,
    "certificatePem" TEXT NOT NULL,
    "sealedPrivateKey" BYTEA NOT NULL,

    CONSTRAINT "SamlModule_pkey" PRIMARY KEY ("routeId")
);

-- CreateTable
CREATE TABLE "IpPolicy" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "ruleCount" INTEGER NOT NULL DEFAULT 0,
    "rulesVersion" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "IpPolicy_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "IpPolicyRule" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "ipPolicyId" TEXT NOT NULL,
    "cidr" TEXT NOT NULL,
    "range" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "IpPolicyRule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "IpRestriction" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "enforced" BOOLEAN NOT NULL DEFAULT false,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "IpRestriction_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "IpRestrictionPolicy" (
    "accountId" TEXT NOT NULL,
    "ipRestrictionId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "ipPolicyId" TEXT NOT NULL,

    CONSTRAINT "IpRestrictionPolicy_pkey" PRIMARY KEY ("ipRestrictionId","position")
);

-- CreateTable
CREATE TABLE "SshCertificateAuthority" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "keyType" TEXT NOT NULL,
    "publicKey" TEXT NOT NULL,
    "sealedPrivateKey" BYTEA NOT NULL,
    "revocationCount" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "SshCertificateAuthority_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SshHostCertificate" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "sshCertificateAuthorityId" TEXT NOT NULL,
    "publicKey" TEXT NOT NULL,
    "keyType" TEXT NOT NULL,
    "principals" JSONB NOT NULL,
    "validAfter" TIMESTAMP(3) NOT NULL,
    "validUntil" TIMESTAMP(3) NOT NULL,
    "serial" BIGINT NOT NULL,
    "certificate" TEXT NOT NULL,

    CONSTRAINT "SshHostCertificate_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SshRevocation" (
    "accountId" TEXT NOT NULL,
    "sshCertificateAuthorityId" TEXT NOT NULL,
    "serial" BIGINT NOT NULL,
    "validUntil" TIMESTAMP(3) NOT NULL,
    "revokedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SshRevocation_pkey" PRIMARY KEY ("sshCertificateAuthorityId","serial")
);

-- CreateTable
CREATE TABLE "TlsEdge" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "metadata" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "hostports" JSONB NOT NULL,

    CONSTRAINT "TlsEdge_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "TlsBackendModule" (
    "edgeId" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "backendId" TEXT NOT NULL,

    CONSTRAINT "TlsBackendModule_pkey" PRIMARY KEY ("edgeId")
);

-- CreateTable
CREATE TABLE "TlsPolicyModule" (
    "edgeId" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "inbound" TEXT,
    "outbound" TEXT,

    CONSTRAINT "TlsPolicyModule_pkey" PRIMARY KEY ("edgeId")
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
CREATE INDEX "HttpsEdgeRoute_edgeId_id_idx" ON "HttpsEdgeRoute"("edgeId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "HttpsEdgeRoute_edgeId_match_key" ON "HttpsEdgeRoute"("edgeId", "match");

-- CreateIndex
CREATE INDEX "IpPolicy_accountId_id_idx" ON "IpPolicy"("accountId", "id");

-- CreateIndex
CREATE INDEX "IpPolicyRule_accountId_id_idx" ON "IpPolicyRule"("accountId", "id");

-- CreateIndex
CREATE INDEX "IpPolicyRule_ipPolicyId_id_idx" ON "IpPolicyRule"("ipPolicyId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "IpPolicyRule_ipPolicyId_range_key" ON "IpPolicyRule"("ipPolicyId", "range");

-- CreateIndex
CREATE INDEX "IpRestriction_accountId_id_idx" ON "IpRestriction"("accountId", "id");

-- CreateIndex
CREATE INDEX "IpRestriction_accountId_type_id_idx" ON "IpRestriction"("accountId", "type", "id");

-- CreateIndex
CREATE INDEX "IpRestrictionPolicy_ipPolicyId_ipRestrictionId_idx" ON "IpRestrictionPolicy"("ipPolicyId", "ipRestrictionId");

-- CreateIndex
CREATE INDEX "SshCertificateAuthority_accountId_id_idx" ON "SshCertificateAuthority"("accountId", "id");

-- CreateIndex
CREATE INDEX "SshHostCertificate_accountId_id_idx" ON "SshHostCertificate"("accountId", "id");

-- CreateIndex
CREATE INDEX "SshHostCertificate_accountId_validUntil_idx" ON "SshHostCertificate"("accountId", "validUntil");

-- CreateIndex
CREATE INDEX "SshHostCertificate_sshCertificateAuthorityId_id_idx" ON "SshHostCertificate"("sshCertificateAuthorityId", "id");

-- CreateIndex
CREATE INDEX "SshHostCertificate_sshCertificateAuthorityId_validUntil_id_idx" ON "SshHostCertificate"("sshCertificateAuthorityId", "validUntil", "id");

-- CreateIndex
CREATE UNIQUE INDEX "SshHostCertificate_sshCertificateAuthorityId_serial_key" ON "SshHostCertificate"("sshCertificateAuthorityId", "serial");

-- CreateIndex
CREATE INDEX "TlsEdge_accountId_id_idx" ON "TlsEdge"("accountId", "id");

-- CreateIndex
CREATE INDEX "TlsBackendModule_backendId_edgeId_idx" ON "TlsBackendModule"("backendId", "edgeId");

-- AddForeignKey
ALTER TABLE "HttpsEdgeRoute" ADD CONSTRAINT "HttpsEdgeRoute_edgeId_fkey" FOREIGN KEY ("edgeId") REFERENCES "HttpsEdge"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SamlModule" ADD CONSTRAINT "SamlModule_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IpPolicyRule" ADD CONSTRAINT "IpPolicyRule_ipPolicyId_fkey" FOREIGN KEY ("ipPolicyId") REFERENCES "IpPolicy"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IpRestrictionPolicy" ADD CONSTRAINT "IpRestrictionPolicy_ipRestrictionId_fkey" FOREIGN KEY ("ipRestrictionId") REFERENCES "IpRestriction"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SshHostCertificate" ADD CONSTRAINT "SshHostCertificate_sshCertificateAuthorityId_fkey" FOREIGN KEY ("sshCertificateAuthorityId") REFERENCES "SshCertificateAuthority"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SshRevocation" ADD CONSTRAINT "SshRevocation_sshCertificateAuthorityId_fkey" FOREIGN KEY ("sshCertificateAuthorityId") REFERENCES "SshCertificateAuthority"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TlsBackendModule" ADD CONSTRAINT "TlsBackendModule_edgeId_fkey" FOREIGN KEY ("edgeId") REFERENCES "TlsEdge"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TlsBackendModule" ADD CONSTRAINT "TlsBackendModule_backendId_fkey" FOREIGN KEY ("backendId") REFERENCES "TunnelGroupBackend"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TlsPolicyModule" ADD CONSTRAINT "TlsPolicyModule_edgeId_fkey" FOREIGN KEY ("edgeId") REFERENCES "TlsEdge"("id") ON DELETE CASCADE ON UPDATE CASCADE;
