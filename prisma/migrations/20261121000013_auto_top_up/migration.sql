-- Payments that the gateway makes by itself with a saved card. Their row stands before Stripe is asked, with the customer
-- and the card that are asked for, so that the question can be repeated word for word under the same idempotency key.
ALTER TABLE "payment" ADD COLUMN "source" TEXT NOT NULL DEFAULT 'checkout';
ALTER TABLE "payment" ADD COLUMN "save_card" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "payment" ADD COLUMN "customer_id" TEXT;
ALTER TABLE "payment" ADD COLUMN "method_id" TEXT;
ALTER TABLE "payment" ADD COLUMN "asked_at" TIMESTAMPTZ(3);
ALTER TABLE "payment" ADD COLUMN "failure" TEXT;
ALTER TABLE "payment" ADD COLUMN "failed_at" TIMESTAMPTZ(3);
ALTER TABLE "payment" ADD CONSTRAINT "payment_source" CHECK ("source" IN ('checkout', 'auto'));
ALTER TABLE "payment" ADD CONSTRAINT "payment_auto"
  CHECK ("source" <> 'auto' OR ("customer_id" IS NOT NULL AND "method_id" IS NOT NULL AND "asked_at" IS NOT NULL));
-- Whatever happens, an account never has two automatic payments under way.
CREATE UNIQUE INDEX "payment_one_auto" ON "payment"("account_id") WHERE "source" = 'auto' AND "state" IN ('open', 'processing');

-- Cards as far as they are known here: Stripe's ids, and what their holders recognize them by. One that was replaced or
-- removed stays until Stripe has detached it.
CREATE TABLE "saved_card" (
  "method_id" TEXT NOT NULL,
  "account_id" TEXT NOT NULL,
  "customer_id" TEXT NOT NULL,
  "brand" TEXT NOT NULL,
  "last4" TEXT NOT NULL,
  "exp_month" INTEGER NOT NULL,
  "exp_year" INTEGER NOT NULL,
  "saved_at" TIMESTAMPTZ(3) NOT NULL,
  "removed_at" TIMESTAMPTZ(3),
  CONSTRAINT "saved_card_pkey" PRIMARY KEY ("method_id")
);
CREATE UNIQUE INDEX "saved_card_one" ON "saved_card"("account_id") WHERE "removed_at" IS NULL;
CREATE INDEX "saved_card_account_id_idx" ON "saved_card"("account_id");

-- When an account is topped up by itself, as its holder agreed to, and how that went lately.
CREATE TABLE "auto_top_up" (
  "account_id" TEXT NOT NULL,
  "enabled" BOOLEAN NOT NULL,
  "threshold_nano" BIGINT NOT NULL,
  "amount_nano" BIGINT NOT NULL,
  "ceiling_nano" BIGINT NOT NULL,
  "consented_at" TIMESTAMPTZ(3) NOT NULL,
  "failures" INTEGER NOT NULL DEFAULT 0,
  "retry_at" TIMESTAMPTZ(3),
  "off_reason" TEXT,
  CONSTRAINT "auto_top_up_pkey" PRIMARY KEY ("account_id"),
  CONSTRAINT "auto_top_up_amounts" CHECK ("threshold_nano" > 0 AND "amount_nano" > 0 AND "ceiling_nano" >= "amount_nano"),
  CONSTRAINT "auto_top_up_off" CHECK ("off_reason" IS NULL OR NOT "enabled")
);

-- What holders want to be told of their spending. "told_for" is the beginning of the period that was told of last.
CREATE TABLE "spending_alert" (
  "id" TEXT NOT NULL,
  "account_id" TEXT NOT NULL,
  "key_id" TEXT,
  "period" TEXT NOT NULL,
  "amount_nano" BIGINT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "told_for" TIMESTAMPTZ(3),
  CONSTRAINT "spending_alert_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "spending_alert_period" CHECK ("period" IN ('day', 'month')),
  CONSTRAINT "spending_alert_amount" CHECK ("amount_nano" > 0)
);
CREATE INDEX "spending_alert_account_id_idx" ON "spending_alert"("account_id");

-- What holders have still to be told, written in the transaction in which it came to be. A row goes when it was told.
CREATE TABLE "notice" (
  "id" TEXT NOT NULL,
  "account_id" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "body" JSONB NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "next_try_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "notice_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "notice_next_try_at_idx" ON "notice"("next_try_at");
