-- Addresses that had their credit for signing up, by a keyed hash. A row outlives its account: whoever closes one and
-- signs up again has had it, and nobody can read the address back.
CREATE TABLE "sign_up_credit" (
  "address_hmac" BYTEA NOT NULL,
  "given_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "sign_up_credit_pkey" PRIMARY KEY ("address_hmac")
);

-- Customers of closed accounts, whom Stripe still has to delete. A row goes when it has.
CREATE TABLE "left_customer" (
  "customer_id" TEXT NOT NULL,
  "left_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "left_customer_pkey" PRIMARY KEY ("customer_id")
);

-- Responses are deleted with the history of their account, and kept no longer than it.
CREATE INDEX "stored_response_account_id_at_idx" ON "stored_response"("account_id", "at");
UPDATE "stored_response" r SET "expires_at" = r."at" + make_interval(days => a."history_days")
  FROM "account" a WHERE a."id" = r."account_id" AND r."expires_at" > r."at" + make_interval(days => a."history_days");

-- Usage of some models by key is read by models, and out of the index alone. Days that are over hardly ever change.
CREATE INDEX "usage_day_by_model_idx" ON "usage_day"("account_id", "grain", "model_id", "day", "key_id",
  "requests", "errors", "input_units", "output_units", "charged_nano");

-- Finds the hours in which a key used a model; by one of both alone, all hours of it were looked at. Rows are made once an
-- hour for each key and model, and their sums stand in no index: settling hardly notices it.
CREATE INDEX "usage_hour_account_id_key_id_model_id_hour_idx" ON "usage_hour"("account_id", "key_id", "model_id", "hour");
