-- CreateTable
CREATE TABLE "HttpsIpRestrictionModule" (
    "routeId" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "mode" TEXT NOT NULL,

    CONSTRAINT "HttpsIpRestrictionModule_pkey" PRIMARY KEY ("routeId")
);

-- CreateTable
CREATE TABLE "HttpsIpRestrictionPolicy" (
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "ipPolicyId" TEXT NOT NULL,

    CONSTRAINT "HttpsIpRestrictionPolicy_pkey" PRIMARY KEY ("routeId","position")
);

-- CreateTable
CREATE TABLE "TlsIpRestrictionModule" (
    "edgeId" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,

    CONSTRAINT "TlsIpRestrictionModule_pkey" PRIMARY KEY ("edgeId")
);

-- CreateTable
CREATE TABLE "TlsIpRestrictionPolicy" (
    "accountId" TEXT NOT NULL,
    "edgeId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "ipPolicyId" TEXT NOT NULL,

    CONSTRAINT "TlsIpRestrictionPolicy_pkey" PRIMARY KEY ("edgeId","position")
);

-- CreateIndex
CREATE INDEX "HttpsIpRestrictionPolicy_ipPolicyId_routeId_idx" ON "HttpsIpRestrictionPolicy"("ipPolicyId", "routeId");

-- CreateIndex
CREATE INDEX "TlsIpRestrictionPolicy_ipPolicyId_edgeId_idx" ON "TlsIpRestrictionPolicy"("ipPolicyId", "edgeId");

-- AddForeignKey
ALTER TABLE "HttpsIpRestrictionModule" ADD CONSTRAINT "HttpsIpRestrictionModule_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "HttpsIpRestrictionPolicy" ADD CONSTRAINT "HttpsIpRestrictionPolicy_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsIpRestrictionModule"("routeId") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TlsIpRestrictionModule" ADD CONSTRAINT "TlsIpRestrictionModule_edgeId_fkey" FOREIGN KEY ("edgeId") REFERENCES "TlsEdge"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TlsIpRestrictionPolicy" ADD CONSTRAINT "TlsIpRestrictionPolicy_edgeId_fkey" FOREIGN KEY ("edgeId") REFERENCES "TlsIpRestrictionModule"("edgeId") ON DELETE CASCADE ON UPDATE CASCADE;
