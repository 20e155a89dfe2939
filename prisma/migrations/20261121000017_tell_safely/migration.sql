-- An event is told beside what it tells of, never instead of it: a credit, a charge, a failed payment and the end of a video
-- are booked whatever becomes of their events. What cannot be written down is a warning in the database's log.

-- As before, but an endpoint that is being removed at this moment is passed over, and nobody waits for it: its delivery
-- would break the transaction that tells. The lock lets every other change of an endpoint through.

CREATE OR REPLACE FUNCTION emit_webhook(account text, kind text, source text, data json, only_endpoint text DEFAULT NULL)
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

CREATE OR REPLACE FUNCTION tell_top_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM emit_webhook(NEW.account_id, 'top_up.succeeded', NEW.id, json_build_object(
    'entry_id', NEW.id, 'payment_id', NEW.payment_id, 'amount', nano_text(NEW.amount_nano),
    'debt_paid', nano_text(-NEW.owed_nano), 'currency', (SELECT p.currency FROM payment p WHERE p.id = NEW.payment_id)));
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'the webhook event of % is not told: %', NEW.id, SQLERRM;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_failed_top_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM emit_webhook(NEW.account_id, 'top_up.failed', NEW.id, json_build_object(
    'payment_id', NEW.id, 'amount', nano_text(NEW.amount_nano), 'currency', NEW.currency));
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'the webhook event of % is not told: %', NEW.id, SQLERRM;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_low_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM emit_webhook(NEW.account_id, 'balance.low', NEW.low_told_at::text, json_build_object(
    'balance', (SELECT nano_text(p.credit - p.spent) FROM purse p WHERE p.id = NEW.account_id),
    'threshold', nano_text(NEW.low_balance_nano)));
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'the webhook event of % is not told: %', NEW.account_id, SQLERRM;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_video() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM emit_webhook(NEW.account_id, 'video.completed', NEW.id, json_build_object(
    'task_id', NEW.id, 'request_id', NEW.request_id, 'model', NEW.model_id, 'seconds', NEW.seconds,
    'cost', (SELECT nano_text(u.charged_nano) FROM usage_record u WHERE u.id = NEW.request_id AND u.at = NEW.created_at)));
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'the webhook event of % is not told: %', NEW.id, SQLERRM;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_alert() RETURNS trigger LANGUAGE plpgsql AS $$
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
