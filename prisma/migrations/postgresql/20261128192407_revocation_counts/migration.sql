-- Counts what is created and deleted from now on, and then what there is (prisma/counting.ts).
CREATE TRIGGER "SshRevocation_created" AFTER INSERT ON "SshRevocation" REFERENCING NEW TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('1');
CREATE TRIGGER "SshRevocation_deleted" AFTER DELETE ON "SshRevocation" REFERENCING OLD TABLE AS "moved"
    FOR EACH STATEMENT EXECUTE FUNCTION "countObjects"('-1');

INSERT INTO "ObjectCount" SELECT "accountId", 'SshRevocation', 0, count(*) FROM "SshRevocation" GROUP BY "accountId";
