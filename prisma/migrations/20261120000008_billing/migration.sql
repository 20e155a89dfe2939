-- What somebody set out to pay. Written before Stripe is asked for anything, so that an event can be
-- checked against what was meant. `amount_minor` is the amount in the units that Stripe counts in.
CREATE TABLE "payment" (
  "id" TEXT NOT NULL,
  "account_id" TEXT NOT NULL,
  "request_id" TEXT NOT NULL,
  "state" TEXT NOT NULL DEFAULT 'open',
  "amount_nano" BIGINT NOT NULL,
  "amount_minor" BIGINT NOT NULL,
  "currency" TEXT NOT NULL,
  "session_id" TEXT,
  "intent_id" TEXT,
  "invoice_url" TEXT,
  "receipt_url" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "paid_at" TIMESTAMPTZ(3),
  CONSTRAINT "payment_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "payment_state" CHECK ("state" IN ('open', 'processing', 'paid', 'expired', 'failed')),
  CONSTRAINT "payment_amount" CHECK ("amount_nano" > 0 AND "amount_minor" > 0),
  CONSTRAINT "payment_paid" CHECK (("state" = 'paid') = ("paid_at" IS NOT NULL))
);
CREATE UNIQUE INDEX "payment_account_id_request_id_key" ON "payment"("account_id", "request_id");
CREATE UNIQUE INDEX "payment_session_id_key" ON "payment"("session_id");
CREATE UNIQUE INDEX "payment_intent_id_key" ON "payment"("intent_id");
CREATE INDEX "payment_account_id_created_at_idx" ON "payment"("account_id", "created_at");

-- Events of Stripe that changed something here. Never dropped.
CREATE TABLE "stripe_event" (
  "id" TEXT NOT NULL,
  "type" TEXT NOT NULL,
  "payment_id" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "stripe_event_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "stripe_event_payment_id_idx" ON "stripe_event"("payment_id");

-- The payment that an entry belongs to.
ALTER TABLE "entry" ADD COLUMN "payment_id" TEXT;
-- A collection pays a debt out of the account's own balance: its amount is zero, and what it pays is in owed_nano.
ALTER TABLE "entry" DROP CONSTRAINT "entry_kind";
ALTER TABLE "entry" ADD CONSTRAINT "entry_kind"
  CHECK ("kind" IN ('grant', 'top_up', 'code', 'deduction', 'refund', 'dispute', 'collection', 'reversal', 'closing'));

-- What an account's holder has set about billing, and who it is to Stripe.
CREATE TABLE "billing_account" (
  "account_id" TEXT NOT NULL,
  "customer_id" TEXT,
  "low_balance_nano" BIGINT,
  "low_told_at" TIMESTAMPTZ(3),
  CONSTRAINT "billing_account_pkey" PRIMARY KEY ("account_id"),
  CONSTRAINT "billing_account_low_balance" CHECK ("low_balance_nano" > 0)
);

-- Codes that are worth credit, each once. The code itself is kept nowhere.
CREATE TABLE "redemption_code" (
  "id" TEXT NOT NULL,
  "code_hmac" BYTEA NOT NULL,
  "hint" TEXT NOT NULL,
  "amount_nano" BIGINT NOT NULL,
  "note" TEXT NOT NULL DEFAULT '',
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3),
  "redeemed_at" TIMESTAMPTZ(3),
  "redeemed_by" TEXT,
  CONSTRAINT "redemption_code_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "redemption_code_amount" CHECK ("amount_nano" > 0),
  CONSTRAINT "redemption_code_redeemed" CHECK (("redeemed_at" IS NULL) = ("redeemed_by" IS NULL))
);
CREATE UNIQUE INDEX "redemption_code_code_hmac_key" ON "redemption_code"("code_hmac");
