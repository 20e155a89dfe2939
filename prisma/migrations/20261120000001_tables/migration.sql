CREATE TABLE "account" (
  "id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "suspended_at" TIMESTAMPTZ(3),
  "suspended_reason" TEXT,
  "history_enabled" BOOLEAN NOT NULL DEFAULT true,
  "history_days" INTEGER NOT NULL DEFAULT 30,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "account_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "account_history_days" CHECK ("history_days" BETWEEN 1 AND 365)
);

CREATE TABLE "app_user" (
  "id" TEXT NOT NULL,
  "email" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "password_hash" TEXT NOT NULL,
  "role" TEXT NOT NULL DEFAULT 'holder',
  "account_id" TEXT NOT NULL,
  "session_epoch" INTEGER NOT NULL DEFAULT 0,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "app_user_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "app_user_role" CHECK ("role" IN ('owner', 'operator', 'support', 'holder')),
  CONSTRAINT "app_user_email_lower" CHECK ("email" = lower("email"))
);

CREATE TABLE "model_group" (
  "id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "description" TEXT NOT NULL DEFAULT '',
  "multiplier_bp" INTEGER NOT NULL DEFAULT 10000,
  "rpm" INTEGER,
  "tpm" INTEGER,
  "is_default" BOOLEAN NOT NULL DEFAULT false,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "model_group_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "model_group_multiplier" CHECK ("multiplier_bp" BETWEEN 0 AND 1000000)
);

CREATE TABLE "group_model" (
  "group_id" TEXT NOT NULL,
  "model_id" TEXT NOT NULL,
  CONSTRAINT "group_model_pkey" PRIMARY KEY ("group_id", "model_id")
);

CREATE TABLE "connection" (
  "id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "base_url" TEXT,
  "secret_sealed" BYTEA,
  "headers" JSONB NOT NULL DEFAULT '{}',
  "connect_timeout_ms" INTEGER NOT NULL DEFAULT 5000,
  "headers_timeout_ms" INTEGER NOT NULL DEFAULT 120000,
  "idle_timeout_ms" INTEGER NOT NULL DEFAULT 120000,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "connection_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "model" (
  "id" TEXT NOT NULL,
  "owned_by" TEXT NOT NULL,
  "modality" TEXT NOT NULL,
  "context_window" INTEGER NOT NULL,
  "max_output" INTEGER NOT NULL,
  "image_tokens" INTEGER NOT NULL DEFAULT 16384,
  "capabilities" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "enabled" BOOLEAN NOT NULL DEFAULT true,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "model_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "model_sizes" CHECK ("context_window" > 0 AND "max_output" > 0 AND "image_tokens" >= 0)
);

CREATE TABLE "price" (
  "id" TEXT NOT NULL,
  "model_id" TEXT NOT NULL,
  "starts_at" TIMESTAMPTZ(3) NOT NULL,
  "units" JSONB NOT NULL,
  "vendor_units" JSONB NOT NULL,
  "note" TEXT NOT NULL DEFAULT '',
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "price_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "deployment" (
  "id" TEXT NOT NULL,
  "model_id" TEXT NOT NULL,
  "connection_id" TEXT NOT NULL,
  "upstream_model" TEXT NOT NULL,
  "weight" INTEGER NOT NULL DEFAULT 1,
  "priority" INTEGER NOT NULL DEFAULT 0,
  "enabled" BOOLEAN NOT NULL DEFAULT true,
  CONSTRAINT "deployment_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "api_key" (
  "id" TEXT NOT NULL,
  "account_id" TEXT NOT NULL,
  "group_id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "secret_hmac" BYTEA NOT NULL,
  "hint" TEXT NOT NULL,
  "expires_at" TIMESTAMPTZ(3),
  "revoked_at" TIMESTAMPTZ(3),
  "limit_total_nano" BIGINT,
  "limit_month_nano" BIGINT,
  "model_allow" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "address_allow" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "rpm" INTEGER,
  "tpm" INTEGER,
  "history_enabled" BOOLEAN NOT NULL DEFAULT true,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "last_used_at" TIMESTAMPTZ(3),
  CONSTRAINT "api_key_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "api_key_limits" CHECK ("limit_total_nano" >= 0 AND "limit_month_nano" >= 0 AND "rpm" > 0 AND "tpm" > 0)
);

CREATE TABLE "purse" (
  "id" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "account_id" TEXT NOT NULL,
  "key_id" TEXT,
  "credit" BIGINT NOT NULL DEFAULT 0,
  "spent" BIGINT NOT NULL DEFAULT 0,
  "leased" BIGINT NOT NULL DEFAULT 0,
  "owed" BIGINT NOT NULL DEFAULT 0,
  "recall_wanted_at" TIMESTAMPTZ(3),
  CONSTRAINT "purse_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "purse_kind" CHECK ("kind" IN ('account', 'key')),
  CONSTRAINT "purse_bounds" CHECK ("leased" >= 0 AND "owed" >= 0 AND "spent" >= 0),
  -- The balance of an account is credit - spent. What is left of a key's limit may be negative,
  -- because a limit can be lowered below what was spent.
  CONSTRAINT "purse_balance" CHECK ("kind" <> 'account' OR ("credit" - "spent" >= 0 AND "leased" <= "credit" - "spent"))
) WITH (fillfactor = 50);

CREATE TABLE "process" (
  "id" TEXT NOT NULL,
  "beat_at" TIMESTAMPTZ(3) NOT NULL,
  "started_at" TIMESTAMPTZ(3) NOT NULL,
  "pid" INTEGER NOT NULL,
  "host" TEXT NOT NULL,
  CONSTRAINT "process_pkey" PRIMARY KEY ("id")
) WITH (fillfactor = 50);

CREATE TABLE "lease" (
  "id" TEXT NOT NULL,
  "owner" TEXT NOT NULL,
  "purse_id" TEXT NOT NULL,
  "amount" BIGINT NOT NULL,
  "seq" BIGINT NOT NULL,
  "granted" BIGINT NOT NULL,
  "acked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "lease_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "lease_amount" CHECK ("amount" >= 0)
) WITH (fillfactor = 50);

CREATE TABLE "entry" (
  "id" TEXT NOT NULL,
  "account_id" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "amount_nano" BIGINT NOT NULL,
  "owed_nano" BIGINT NOT NULL DEFAULT 0,
  "reason" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "entry_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "entry_kind" CHECK ("kind" IN ('grant', 'top_up', 'deduction', 'refund', 'dispute', 'reversal', 'closing'))
);

CREATE TABLE "usage_record" (
  "id" TEXT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "account_id" TEXT NOT NULL,
  "key_id" TEXT NOT NULL,
  "group_id" TEXT NOT NULL,
  "model_id" TEXT NOT NULL,
  "endpoint" TEXT NOT NULL,
  "stream" BOOLEAN NOT NULL,
  "status" INTEGER NOT NULL,
  "outcome" TEXT NOT NULL,
  "error_code" TEXT,
  "error_text" TEXT,
  "finish_reason" TEXT,
  "input_units" BIGINT NOT NULL,
  "cached_units" BIGINT NOT NULL,
  "output_units" BIGINT NOT NULL,
  "reasoning_units" BIGINT NOT NULL,
  "hold_nano" BIGINT NOT NULL,
  "charged_nano" BIGINT NOT NULL,
  "shortfall_nano" BIGINT NOT NULL,
  "vendor_cost_nano" BIGINT NOT NULL,
  "estimated" BOOLEAN NOT NULL,
  "receipt" JSONB NOT NULL,
  "trace" JSONB NOT NULL,
  "own_ms" DOUBLE PRECISION NOT NULL,
  "first_token_ms" DOUBLE PRECISION,
  "took_ms" DOUBLE PRECISION NOT NULL,
  CONSTRAINT "usage_record_pkey" PRIMARY KEY ("id", "at"),
  CONSTRAINT "usage_record_money" CHECK ("charged_nano" >= 0 AND "shortfall_nano" >= 0 AND "hold_nano" >= 0)
) PARTITION BY RANGE ("at");

CREATE TABLE "usage_hour" (
  "account_id" TEXT NOT NULL,
  "hour" TIMESTAMPTZ(0) NOT NULL,
  "key_id" TEXT NOT NULL,
  "model_id" TEXT NOT NULL,
  "requests" BIGINT NOT NULL,
  "errors" BIGINT NOT NULL,
  "input_units" BIGINT NOT NULL,
  "cached_units" BIGINT NOT NULL,
  "output_units" BIGINT NOT NULL,
  "charged_nano" BIGINT NOT NULL,
  "shortfall_nano" BIGINT NOT NULL,
  "vendor_cost_nano" BIGINT NOT NULL,
  "first_token_ms" DOUBLE PRECISION NOT NULL,
  "first_tokens" BIGINT NOT NULL,
  "took_ms" DOUBLE PRECISION NOT NULL,
  "own_ms" DOUBLE PRECISION NOT NULL,
  CONSTRAINT "usage_hour_pkey" PRIMARY KEY ("account_id", "hour", "key_id", "model_id")
) WITH (fillfactor = 50);

CREATE TABLE "history" (
  "request_id" TEXT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "account_id" TEXT NOT NULL,
  "body" BYTEA NOT NULL,
  CONSTRAINT "history_pkey" PRIMARY KEY ("request_id", "at")
) PARTITION BY RANGE ("at");

CREATE TABLE "idempotency" (
  "account_id" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "key_id" TEXT NOT NULL,
  "hash" BYTEA NOT NULL,
  "request_id" TEXT NOT NULL,
  "owner" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "status" INTEGER,
  "headers" JSONB,
  "body" BYTEA,
  CONSTRAINT "idempotency_pkey" PRIMARY KEY ("account_id", "key")
);

CREATE TABLE "change" (
  "id" BIGSERIAL NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "topic" TEXT NOT NULL,
  "ref" TEXT NOT NULL,
  CONSTRAINT "change_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "app_user_email_key" ON "app_user"("email");
CREATE INDEX "app_user_account_id_idx" ON "app_user"("account_id");
CREATE UNIQUE INDEX "model_group_name_key" ON "model_group"("name");
CREATE UNIQUE INDEX "connection_name_key" ON "connection"("name");
CREATE UNIQUE INDEX "price_model_id_starts_at_key" ON "price"("model_id", "starts_at");
CREATE INDEX "deployment_connection_id_idx" ON "deployment"("connection_id");
CREATE UNIQUE INDEX "deployment_model_id_connection_id_upstream_model_key" ON "deployment"("model_id", "connection_id", "upstream_model");
CREATE UNIQUE INDEX "api_key_secret_hmac_key" ON "api_key"("secret_hmac");
CREATE INDEX "api_key_account_id_created_at_idx" ON "api_key"("account_id", "created_at");
CREATE INDEX "api_key_group_id_idx" ON "api_key"("group_id");
CREATE INDEX "purse_account_id_idx" ON "purse"("account_id");
CREATE INDEX "lease_owner_idx" ON "lease"("owner");
CREATE INDEX "lease_purse_id_idx" ON "lease"("purse_id");
CREATE INDEX "entry_account_id_created_at_idx" ON "entry"("account_id", "created_at");
CREATE INDEX "usage_record_account_id_id_idx" ON "usage_record"("account_id", "id" DESC);
CREATE INDEX "idempotency_created_at_idx" ON "idempotency"("created_at");
CREATE INDEX "change_at_idx" ON "change"("at");

ALTER TABLE "app_user" ADD CONSTRAINT "app_user_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "group_model" ADD CONSTRAINT "group_model_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "model_group"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "group_model" ADD CONSTRAINT "group_model_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "model"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "price" ADD CONSTRAINT "price_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "model"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "deployment" ADD CONSTRAINT "deployment_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "model"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "deployment" ADD CONSTRAINT "deployment_connection_id_fkey" FOREIGN KEY ("connection_id") REFERENCES "connection"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "model_group"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "lease" ADD CONSTRAINT "lease_owner_fkey" FOREIGN KEY ("owner") REFERENCES "process"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A row lands here only if its own partition is missing; upkeep moves on, no insert ever fails.
CREATE TABLE "usage_record_rest" PARTITION OF "usage_record" DEFAULT;
CREATE TABLE "history_rest" PARTITION OF "history" DEFAULT;
