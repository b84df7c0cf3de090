ALTER TABLE "IdempotencyRecord" RENAME COLUMN "place" TO "responseName";
