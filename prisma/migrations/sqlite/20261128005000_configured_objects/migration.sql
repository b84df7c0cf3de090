-- CreateTable
CREATE TABLE "ConfiguredObject" (
    "objectId" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "document" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sealedSecrets" BLOB
);

-- CreateIndex
CREATE UNIQUE INDEX "ConfiguredObject_accountId_document_kind_name_key" ON "ConfiguredObject"("accountId", "document", "kind", "name");
