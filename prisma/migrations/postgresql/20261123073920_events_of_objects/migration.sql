-- DropIndex
DROP INDEX "AuditEvent_accountId_objectId_id_idx";
