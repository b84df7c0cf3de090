-- CreateTable
CREATE TABLE "HttpsBackendModule" (
    "routeId" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "backendId" TEXT NOT NULL,

    CONSTRAINT "HttpsBackendModule_pkey" PRIMARY KEY ("routeId")
);

-- CreateIndex
CREATE INDEX "HttpsBackendModule_backendId_routeId_idx" ON "HttpsBackendModule"("backendId", "routeId");

-- AddForeignKey
ALTER TABLE "HttpsBackendModule" ADD CONSTRAINT "HttpsBackendModule_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "HttpsEdgeRoute"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "HttpsBackendModule" ADD CONSTRAINT "HttpsBackendModule_backendId_fkey" FOREIGN KEY ("backendId") REFERENCES "TunnelGroupBackend"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
