-- CreateIndex
CREATE INDEX "Person_providerId_id_idx" ON "Person"("providerId", "id");
