-- CreateIndex
CREATE INDEX "HttpsEdgeRoute_edgeId_id_idx" ON "HttpsEdgeRoute"("edgeId", "id");
