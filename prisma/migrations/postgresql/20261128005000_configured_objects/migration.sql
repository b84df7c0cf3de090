-- CreateTable
CREATE TABLE "ConfiguredObject" (
    "objectId" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "document" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sealedSecrets" BYTEA,

    CONSTRAINT "ConfiguredObject_pkey" PRIMARY KEY ("objectId")
);

-- CreateIndex
CREATE UNIQUE INDEX "ConfiguredObject_accountId_document_kind_name_key" ON "ConfiguredObject"("accountId", "document", "kind", "name");
