-- For databases to which this migration was applied while it had another text.
DROP INDEX "usage_day_account_id_grain_model_id_day_idx";
CREATE INDEX "usage_day_by_model_idx" ON "usage_day"("account_id", "grain", "model_id", "day", "key_id",
  "requests", "errors", "input_units", "output_units", "charged_nano");
