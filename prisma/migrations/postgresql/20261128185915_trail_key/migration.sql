-- DropIndex
DROP INDEX "AuditEvent_accountId_id_idx";

-- AlterTable
ALTER TABLE "AuditEvent" DROP CONSTRAINT "AuditEvent_pkey",
ADD CONSTRAINT "AuditEvent_pkey" PRIMARY KEY ("accountId", "id");
