-- Where an account wants to be told of what happens to it. The secrets are sealed; the old one signs beside the new one
-- until its time is over.
CREATE TABLE "webhook_endpoint" (
  "id" TEXT NOT NULL,
  "account_id" TEXT NOT NULL,
  "url" TEXT NOT NULL,
  "description" TEXT NOT NULL DEFAULT '',
  "events" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  "enabled" BOOLEAN NOT NULL DEFAULT true,
  "disabled_reason" TEXT,
  "failing_since" TIMESTAMPTZ(3),
  "secret_sealed" BYTEA NOT NULL,
  "old_secret_sealed" BYTEA,
  "old_secret_until" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "webhook_endpoint_disabled" CHECK ("enabled" = ("disabled_reason" IS NULL)),
  CONSTRAINT "webhook_endpoint_old" CHECK (("old_secret_sealed" IS NULL) = ("old_secret_until" IS NULL))
);
CREATE INDEX "webhook_endpoint_account_id_created_at_idx" ON "webhook_endpoint"("account_id", "created_at");

-- What happened, as it is sent. Written in the transaction of what it tells of, and only where somebody is to be told.
CREATE TABLE "webhook_event" (
  "id" TEXT NOT NULL,
  "account_id" TEXT NOT NULL,
  "type" TEXT NOT NULL,
  "body" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "webhook_event_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_event_created_at_idx" ON "webhook_event"("created_at");
CREATE INDEX "webhook_event_account_id_idx" ON "webhook_event"("account_id");

-- An event on its way to one endpoint.
CREATE TABLE "webhook_delivery" (
  "id" TEXT NOT NULL,
  "event_id" TEXT NOT NULL,
  "endpoint_id" TEXT NOT NULL,
  "account_id" TEXT NOT NULL,
  "state" TEXT NOT NULL DEFAULT 'pending',
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "next_at" TIMESTAMPTZ(3),
  CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "webhook_delivery_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "webhook_event"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "webhook_delivery_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoint"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "webhook_delivery_state" CHECK ("state" IN ('pending', 'delivered', 'failed', 'dropped')),
  CONSTRAINT "webhook_delivery_next" CHECK (("state" = 'pending') = ("next_at" IS NOT NULL))
);
CREATE INDEX "webhook_delivery_endpoint_id_created_at_id_idx" ON "webhook_delivery"("endpoint_id", "created_at", "id");
CREATE INDEX "webhook_delivery_event_id_idx" ON "webhook_delivery"("event_id");
CREATE INDEX "webhook_delivery_next_at_idx" ON "webhook_delivery"("next_at");

-- One try to deliver. `status` is null where there was no answer, and `error` says why; `answer` is its first kilobyte.
CREATE TABLE "webhook_attempt" (
  "delivery_id" TEXT NOT NULL,
  "number" INTEGER NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "took_ms" INTEGER NOT NULL,
  "status" INTEGER,
  "error" TEXT,
  "answer" TEXT NOT NULL DEFAULT '',
  CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("delivery_id", "number"),
  CONSTRAINT "webhook_attempt_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- Which mails an account does not want. No row: all of them are wanted.
CREATE TABLE "mail_wish" (
  "account_id" TEXT NOT NULL,
  "low_balance" BOOLEAN NOT NULL DEFAULT true,
  "receipts" BOOLEAN NOT NULL DEFAULT true,
  "alerts" BOOLEAN NOT NULL DEFAULT true,
  CONSTRAINT "mail_wish_pkey" PRIMARY KEY ("account_id")
);

-- When an account was closed for good. Its money records stay; whom they were about is erased.
ALTER TABLE "account" ADD COLUMN "closed_at" TIMESTAMPTZ(3);

-- Nano-dollars as the decimal number that bodies carry.
CREATE FUNCTION nano_text(nano bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT trim_scale(nano::numeric / 1000000000)::text $$;

-- Gives a delivery its job. Where that fails, what it belongs to must not: upkeep finds deliveries without a job.
CREATE FUNCTION enqueue_webhook(delivery text, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM graphile_worker.add_job('webhook', json_build_object('id', delivery), run_at := at, job_key := delivery, max_attempts := 20);
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'the webhook delivery % has no job yet: %', delivery, SQLERRM;
END $$;

-- Writes an event down for every endpoint of the account that wants it, or for the one that is named; once for each
-- source, however often it is told. Answers for how many. An endpoint that is being removed at this moment is passed over,
-- and nobody waits for it: its delivery would break the transaction that tells. The lock lets every other change of an
-- endpoint through.
CREATE FUNCTION emit_webhook(account text, kind text, source text, data json, only_endpoint text DEFAULT NULL)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  event text := 'evt_' || md5(account || ':' || kind || ':' || source);
  told integer := 0;
  row record;
BEGIN
  FOR row IN
    SELECT e.id FROM webhook_endpoint e
     WHERE e.account_id = account AND e.enabled
       AND CASE WHEN only_endpoint IS NULL THEN kind = ANY (e.events) ELSE e.id = only_endpoint END
     ORDER BY e.id FOR KEY SHARE OF e SKIP LOCKED
  LOOP
    IF told = 0 THEN
      INSERT INTO webhook_event (id, account_id, type, body, created_at)
      VALUES (event, account, kind,
              json_build_object('type', kind,
                                'timestamp', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                                'data', data)::text,
              clock_timestamp())
      ON CONFLICT (id) DO NOTHING;
      IF NOT FOUND THEN RETURN 0; END IF;
    END IF;
    PERFORM add_webhook_delivery(event, row.id, account);
    told := told + 1;
  END LOOP;
  RETURN told;
END $$;

CREATE FUNCTION add_webhook_delivery(event text, endpoint text, account text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  delivery text := 'dlv_' || replace(gen_random_uuid()::text, '-', '');
BEGIN
  INSERT INTO webhook_delivery (id, event_id, endpoint_id, account_id, created_at, next_at)
  VALUES (delivery, event, endpoint, account, clock_timestamp(), clock_timestamp());
  PERFORM enqueue_webhook(delivery, clock_timestamp());
  RETURN delivery;
END $$;

-- Events are written where they happen: whatever credits a payment or ends a video, its event is in the same transaction.
-- An event is told beside what it tells of, never instead of it: a credit, a charge, a failed payment and the end of a video
-- are booked whatever becomes of their events. What cannot be written down is a warning in the database's log.
CREATE FUNCTION tell_top_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM emit_webhook(NEW.account_id, 'top_up.succeeded', NEW.id, json_build_object(
    'entry_id', NEW.id, 'payment_id', NEW.payment_id, 'amount', nano_text(NEW.amount_nano),
    'debt_paid', nano_text(-NEW.owed_nano), 'currency', (SELECT p.currency FROM payment p WHERE p.id = NEW.payment_id)));
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'the webhook event of % is not told: %', NEW.id, SQLERRM;
  RETURN NULL;
END $$;
CREATE TRIGGER "entry_told" AFTER INSERT ON "entry" FOR EACH ROW WHEN (NEW.kind = 'top_up') EXECUTE FUNCTION tell_top_up();

CREATE FUNCTION tell_failed_top_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM emit_webhook(NEW.account_id, 'top_up.failed', NEW.id, json_build_object(
    'payment_id', NEW.id, 'amount', nano_text(NEW.amount_nano), 'currency', NEW.currency));
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'the webhook event of % is not told: %', NEW.id, SQLERRM;
  RETURN NULL;
END $$;
CREATE TRIGGER "payment_told" AFTER UPDATE ON "payment" FOR EACH ROW
  WHEN (NEW.state = 'failed' AND OLD.state <> 'failed') EXECUTE FUNCTION tell_failed_top_up();

CREATE FUNCTION tell_low_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM emit_webhook(NEW.account_id, 'balance.low', NEW.low_told_at::text, json_build_object(
    'balance', (SELECT nano_text(p.credit - p.spent) FROM purse p WHERE p.id = NEW.account_id),
    'threshold', nano_text(NEW.low_balance_nano)));
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'the webhook event of % is not told: %', NEW.account_id, SQLERRM;
  RETURN NULL;
END $$;
CREATE TRIGGER "billing_account_told" AFTER UPDATE ON "billing_account" FOR EACH ROW
  WHEN (NEW.low_told_at IS NOT NULL AND OLD.low_told_at IS NULL) EXECUTE FUNCTION tell_low_balance();

CREATE FUNCTION tell_video() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM emit_webhook(NEW.account_id, 'video.completed', NEW.id, json_build_object(
    'task_id', NEW.id, 'request_id', NEW.request_id, 'model', NEW.model_id, 'seconds', NEW.seconds,
    'cost', (SELECT nano_text(u.charged_nano) FROM usage_record u WHERE u.id = NEW.request_id AND u.at = NEW.created_at)));
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'the webhook event of % is not told: %', NEW.id, SQLERRM;
  RETURN NULL;
END $$;
CREATE TRIGGER "task_told" AFTER UPDATE ON "task" FOR EACH ROW
  WHEN (NEW.state = 'completed' AND OLD.state <> 'completed') EXECUTE FUNCTION tell_video();

CREATE FUNCTION tell_alert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM emit_webhook(NEW.account_id, 'spending.alert', NEW.id, json_build_object(
    'alert_id', NEW.body->>'alertId', 'period', NEW.body->>'period', 'since', NEW.body->>'since',
    'amount', nano_text((NEW.body->>'amountNano')::bigint), 'spent', nano_text((NEW.body->>'spentNano')::bigint),
    'key_name', NEW.body->>'keyName'));
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'the webhook event of % is not told: %', NEW.id, SQLERRM;
  RETURN NULL;
END $$;
CREATE TRIGGER "notice_told" AFTER INSERT ON "notice" FOR EACH ROW
  WHEN (NEW.kind = 'spending.alert') EXECUTE FUNCTION tell_alert();
