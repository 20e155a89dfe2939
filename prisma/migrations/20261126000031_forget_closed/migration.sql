-- Since when what a closed account said has to be deleted, with the files that it made; null where nothing is left of it. Whoever
-- dies over it leaves the row, and the next one goes on.
ALTER TABLE "account" ADD COLUMN "forget_since" TIMESTAMPTZ(3);
UPDATE "account" SET "forget_since" = "closed_at" WHERE "closed_at" > now() - interval '7 days';
CREATE INDEX "account_forget_idx" ON "account"("forget_since") WHERE "forget_since" IS NOT NULL;
-- Its videos stand in their tasks.
CREATE INDEX "task_account_id_idx" ON "task"("account_id");
