-- When a change was written down, and not when its transaction began: one that takes minutes until then was in the past
-- before anybody could see it.
ALTER TABLE "change" ALTER COLUMN "at" SET DEFAULT clock_timestamp();

-- Which transaction wrote it. Who reads knows up to which number all transactions had ended at the last look, and so finds
-- what was committed since, however long that took.
ALTER TABLE "change" ADD COLUMN "transaction" BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text)::bigint;
CREATE INDEX "change_transaction_idx" ON "change"("transaction");

-- For how long a process that does not beat keeps what it leased, as it was started with: half of it after its last beat it
-- admits nothing any more.
ALTER TABLE "process" ADD COLUMN "life_ms" INTEGER NOT NULL DEFAULT 30000;
