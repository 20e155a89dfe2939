-- For databases to which this migration was applied while it had another text.
CREATE INDEX "task_account_id_idx" ON "task"("account_id");
