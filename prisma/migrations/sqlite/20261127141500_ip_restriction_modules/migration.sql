-- CreateTable
CREATE TABLE "HttpsIpRestrictionModule" (
    "routeId" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "mode" TEXT NOT NULL,
    CONSTRAINT "HttpsIpRestrictionModule_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "HttpsIpRestrictionPolicy" (
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "ipPolicyId" TEXT NOT NULL,

    PRIMARY KEY ("routeId", "position"),
    CONSTRAINT "HttpsIpRestrictionPolicy_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsIpRestrictionModule" ("routeId") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "TlsIpRestrictionModule" (
    "edgeId" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    CONSTRAINT "TlsIpRestrictionModule_edgeId_fkey" FOREIGN KEY ("edgeId") REFERENCES "TlsEdge" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "TlsIpRestrictionPolicy" (
    "accountId" TEXT NOT NULL,
    "edgeId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "ipPolicyId" TEXT NOT NULL,

    PRIMARY KEY ("edgeId", "position"),
    CONSTRAINT "TlsIpRestrictionPolicy_edgeId_fkey" FOREIGN KEY ("edgeId") REFERENCES "TlsIpRestrictionModule" ("edgeId") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "HttpsIpRestrictionPolicy_ipPolicyId_routeId_idx" ON "HttpsIpRestrictionPolicy"("ipPolicyId", "routeId");

-- CreateIndex
CREATE INDEX "TlsIpRestrictionPolicy_ipPolicyId_edgeId_idx" ON "TlsIpRestrictionPolicy"("ipPolicyId", "edgeId");
