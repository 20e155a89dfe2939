-- History that is searched, kept in views, and deleted.

-- Everything that began up to then is deleted: it is not shown, and what is still on its way is not written.
ALTER TABLE "account" ADD COLUMN "history_cleared_at" TIMESTAMPTZ(3);
CREATE INDEX "history_account_id_at_idx" ON "history"("account_id", "at");

-- Few requests fail: those that do are found without a look at the others.
CREATE INDEX "usage_record_failed_idx" ON "usage_record"("account_id", "id" DESC) WHERE "status" >= 400;

-- In which hours a model or a key was used. The columns that settling changes stand in no index.
CREATE INDEX "usage_hour_account_id_model_id_hour_idx" ON "usage_hour"("account_id", "model_id", "hour");
CREATE INDEX "usage_hour_account_id_key_id_hour_idx" ON "usage_hour"("account_id", "key_id", "hour");

CREATE TABLE "saved_view" (
  "id" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "query" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "saved_view_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "saved_view_user_id_idx" ON "saved_view"("user_id");
ALTER TABLE "saved_view" ADD CONSTRAINT "saved_view_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
