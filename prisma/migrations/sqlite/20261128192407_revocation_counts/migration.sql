-- Counts what is created and deleted from now on, and then what there is (prisma/counting.ts).
CREATE TRIGGER "SshRevocation_created" AFTER INSERT ON "SshRevocation" BEGIN
    INSERT INTO "ObjectCount" ("accountId", "kind", "slot", "count") VALUES (NEW."accountId", 'SshRevocation', 0, 1)
    ON CONFLICT ("accountId", "kind", "slot") DO UPDATE SET "count" = "count" + 1; END;
CREATE TRIGGER "SshRevocation_deleted" AFTER DELETE ON "SshRevocation" BEGIN
    UPDATE "ObjectCount" SET "count" = "count" - 1 WHERE "accountId" = OLD."accountId" AND "kind" = 'SshRevocation' AND "slot" = 0; END;

INSERT INTO "ObjectCount" SELECT "accountId", 'SshRevocation', 0, count(*) FROM "SshRevocation" GROUP BY "accountId";
