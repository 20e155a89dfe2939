-- What operators set while gateways run. A row stays when the environment's value holds again (`set` is false), so that
-- its version goes on counting.
CREATE TABLE "setting" (
  "name" TEXT NOT NULL,
  "value" JSONB,
  "set" BOOLEAN NOT NULL,
  "version" INTEGER NOT NULL,
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "changed_by" TEXT NOT NULL,
  CONSTRAINT "setting_pkey" PRIMARY KEY ("name")
);

-- What operators want to be told of. `scope` says about what: everything, models or connections; without a `scope_id` each
-- of them counts by itself.
CREATE TABLE "alert_rule" (
  "id" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "scope" TEXT NOT NULL,
  "scope_id" TEXT,
  "percent_bp" INTEGER,
  "minutes" INTEGER,
  "least_requests" INTEGER,
  "below_nano" BIGINT,
  "quiet_minutes" INTEGER NOT NULL,
  "emails" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  "webhooks" BOOLEAN NOT NULL,
  "enabled" BOOLEAN NOT NULL DEFAULT true,
  "version" INTEGER NOT NULL DEFAULT 1,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "archived_at" TIMESTAMPTZ(3),
  CONSTRAINT "alert_rule_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "alert_rule_kind" CHECK (CASE "kind"
    WHEN 'breaker' THEN "scope" = 'all' OR ("scope" = 'model' AND "scope_id" IS NOT NULL)
    WHEN 'errors' THEN "scope" IN ('all', 'model', 'connection') AND "percent_bp" IS NOT NULL AND "minutes" IS NOT NULL
                       AND "least_requests" IS NOT NULL
    WHEN 'balance' THEN "scope" = 'connection' AND "below_nano" IS NOT NULL
    ELSE false END)
);

-- What a rule has found: one row from its firing to its end, and never two at once of the same thing. `clear_since` is
-- when it was first seen to be over; it has ended when that has lasted.
CREATE TABLE "alert_event" (
  "id" TEXT NOT NULL,
  "rule_id" TEXT NOT NULL,
  "subject" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "detail" JSONB NOT NULL,
  "fired_at" TIMESTAMPTZ(3) NOT NULL,
  "clear_since" TIMESTAMPTZ(3),
  "ended_at" TIMESTAMPTZ(3),
  "ended" TEXT,
  CONSTRAINT "alert_event_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "alert_event_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "alert_rule"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "alert_event_ended" CHECK (("ended" IS NULL) = ("ended_at" IS NULL) AND "ended" IN ('resolved', 'dropped'))
);
CREATE UNIQUE INDEX "alert_event_one_firing" ON "alert_event"("rule_id", "subject") WHERE "ended_at" IS NULL;
CREATE INDEX "alert_event_rule_id_subject_ended_at_idx" ON "alert_event"("rule_id", "subject", "ended_at");

-- What is left of the money at a vendor: as an operator stated it, from which our own record of its cost since is taken,
-- and as the vendor says, where it can be asked. `base` is the statement, moved on to the beginning of a day, because
-- traffic is kept by the hour for some weeks and by the day for good.
CREATE TABLE "connection_balance" (
  "connection_id" TEXT NOT NULL,
  "stated_nano" BIGINT,
  "stated_at" TIMESTAMPTZ(3),
  "base_nano" BIGINT,
  "base_at" TIMESTAMPTZ(3),
  "asked_nano" BIGINT,
  "asked_currency" TEXT,
  "asked_at" TIMESTAMPTZ(3),
  "ask_error" TEXT,
  "next_ask_at" TIMESTAMPTZ(3),
  "version" INTEGER NOT NULL DEFAULT 1,
  CONSTRAINT "connection_balance_pkey" PRIMARY KEY ("connection_id"),
  CONSTRAINT "connection_balance_connection_id_fkey" FOREIGN KEY ("connection_id") REFERENCES "connection"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "connection_balance_next_ask_at_idx" ON "connection_balance"("next_ask_at");
