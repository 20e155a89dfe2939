-- Usage by the day and by the month. A year of an account that uses many models with many keys is a million rows by the
-- hour; its pages would add them up again and again. Days that are over are added up once, by upkeep, so that settling
-- stays as cheap as it was: it writes hours only.
CREATE TABLE "usage_day" (
  "account_id" TEXT NOT NULL,
  "grain" TEXT NOT NULL,
  "day" TIMESTAMPTZ(0) NOT NULL,
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
  CONSTRAINT "usage_day_pkey" PRIMARY KEY ("account_id", "grain", "day", "key_id", "model_id"),
  CONSTRAINT "usage_day_grain" CHECK ("grain" IN ('both', 'model', 'key'))
);

CREATE TABLE "usage_month" (
  "account_id" TEXT NOT NULL,
  "grain" TEXT NOT NULL,
  "month" TIMESTAMPTZ(0) NOT NULL,
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
  CONSTRAINT "usage_month_pkey" PRIMARY KEY ("account_id", "grain", "month", "key_id", "model_id"),
  CONSTRAINT "usage_month_grain" CHECK ("grain" IN ('both', 'model', 'key'))
);

-- Days before "day" stand in usage_day, months before "month" in usage_month. What is later stands in usage_hour only.
CREATE TABLE "usage_rolled" (
  "id" BOOLEAN NOT NULL DEFAULT true,
  "day" TIMESTAMPTZ(0) NOT NULL,
  "month" TIMESTAMPTZ(0) NOT NULL,
  CONSTRAINT "usage_rolled_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "usage_rolled_one" CHECK ("id"),
  CONSTRAINT "usage_rolled_order" CHECK ("month" <= "day")
);
INSERT INTO "usage_rolled" ("day", "month") VALUES ('2000-01-01T00:00:00Z', '2000-01-01T00:00:00Z');

-- Finds the hours of the days to be added up. It is small, and rows that only change their sums do not touch it.
CREATE INDEX "usage_hour_hour_idx" ON "usage_hour" USING BRIN ("hour");

-- Adds up the days, and the months, that were over at a time. Rows that are read together are written together. Whoever calls must leave two days between that time and
-- now: see note_late_usage().
CREATE FUNCTION roll_usage(p_before timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  rolled usage_rolled;
  next_day timestamptz := date_trunc('day', p_before, 'UTC');
  next_month timestamptz := date_trunc('month', p_before, 'UTC');
BEGIN
  SELECT * INTO rolled FROM usage_rolled WHERE id FOR UPDATE;
  IF next_day <= rolled.day THEN RETURN; END IF;
  INSERT INTO usage_day (account_id, grain, day, key_id, model_id,
      requests, errors, input_units, cached_units, output_units, charged_nano, shortfall_nano,
      vendor_cost_nano, first_token_ms, first_tokens, took_ms, own_ms)
  SELECT account_id, 'both', date_trunc('day', hour, 'UTC'), key_id, model_id,
           SUM(requests), SUM(errors), SUM(input_units), SUM(cached_units), SUM(output_units),
           SUM(charged_nano), SUM(shortfall_nano), SUM(vendor_cost_nano), SUM(first_token_ms),
           SUM(first_tokens), SUM(took_ms), SUM(own_ms)
    FROM usage_hour WHERE hour >= rolled.day AND hour < next_day
   GROUP BY 1, 3, 4, 5 ORDER BY 1, 3;
  INSERT INTO usage_day (account_id, grain, day, key_id, model_id,
      requests, errors, input_units, cached_units, output_units, charged_nano, shortfall_nano,
      vendor_cost_nano, first_token_ms, first_tokens, took_ms, own_ms)
  SELECT account_id, CASE WHEN GROUPING(key_id) = 1 THEN 'model' ELSE 'key' END, day,
      COALESCE(key_id, ''), COALESCE(model_id, ''),
           SUM(requests), SUM(errors), SUM(input_units), SUM(cached_units), SUM(output_units),
           SUM(charged_nano), SUM(shortfall_nano), SUM(vendor_cost_nano), SUM(first_token_ms),
           SUM(first_tokens), SUM(took_ms), SUM(own_ms)
    FROM usage_day WHERE grain = 'both' AND day >= rolled.day AND day < next_day
   GROUP BY GROUPING SETS ((account_id, day, model_id), (account_id, day, key_id)) ORDER BY 1, 2, 3;
  IF next_month > rolled.month THEN
    INSERT INTO usage_month (account_id, grain, month, key_id, model_id,
      requests, errors, input_units, cached_units, output_units, charged_nano, shortfall_nano,
      vendor_cost_nano, first_token_ms, first_tokens, took_ms, own_ms)
    SELECT account_id, grain, date_trunc('month', day, 'UTC'), key_id, model_id,
           SUM(requests), SUM(errors), SUM(input_units), SUM(cached_units), SUM(output_units),
           SUM(charged_nano), SUM(shortfall_nano), SUM(vendor_cost_nano), SUM(first_token_ms),
           SUM(first_tokens), SUM(took_ms), SUM(own_ms)
      FROM usage_day WHERE day >= rolled.month AND day < next_month
     GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3;
  END IF;
  UPDATE usage_rolled SET day = next_day, month = GREATEST(next_month, rolled.month) WHERE id;
END $$;

-- What is settled late, after its day was added up, is added to the day and the month as well. Only hours older than 25
-- hours come here, and days are added up two days after their end: a settlement that did not look here and is not
-- committed when its day is added up would have to be open for a day. One that did look either comes before the adding
-- up, which waits for it and sees it, or after it, and then finds the day there.
CREATE FUNCTION note_late_usage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rolled usage_rolled;
BEGIN
  SELECT * INTO rolled FROM usage_rolled WHERE id FOR SHARE;
  IF NEW.hour < rolled.day THEN
    INSERT INTO usage_day AS u (account_id, grain, day, key_id, model_id,
      requests, errors, input_units, cached_units, output_units, charged_nano, shortfall_nano,
      vendor_cost_nano, first_token_ms, first_tokens, took_ms, own_ms)
    SELECT NEW.account_id, g.grain, date_trunc('day', NEW.hour, 'UTC'), g.key_id, g.model_id,
      NEW.requests - COALESCE(OLD.requests, 0), NEW.errors - COALESCE(OLD.errors, 0),
      NEW.input_units - COALESCE(OLD.input_units, 0), NEW.cached_units - COALESCE(OLD.cached_units, 0),
      NEW.output_units - COALESCE(OLD.output_units, 0), NEW.charged_nano - COALESCE(OLD.charged_nano, 0),
      NEW.shortfall_nano - COALESCE(OLD.shortfall_nano, 0),
      NEW.vendor_cost_nano - COALESCE(OLD.vendor_cost_nano, 0),
      NEW.first_token_ms - COALESCE(OLD.first_token_ms, 0), NEW.first_tokens - COALESCE(OLD.first_tokens, 0),
      NEW.took_ms - COALESCE(OLD.took_ms, 0), NEW.own_ms - COALESCE(OLD.own_ms, 0)
      FROM (VALUES ('both', NEW.key_id, NEW.model_id), ('model', '', NEW.model_id), ('key', NEW.key_id, '')) AS g (grain, key_id, model_id)
    ON CONFLICT (account_id, grain, day, key_id, model_id) DO UPDATE SET
      requests = u.requests + excluded.requests, errors = u.errors + excluded.errors,
      input_units = u.input_units + excluded.input_units,
      cached_units = u.cached_units + excluded.cached_units,
      output_units = u.output_units + excluded.output_units,
      charged_nano = u.charged_nano + excluded.charged_nano,
      shortfall_nano = u.shortfall_nano + excluded.shortfall_nano,
      vendor_cost_nano = u.vendor_cost_nano + excluded.vendor_cost_nano,
      first_token_ms = u.first_token_ms + excluded.first_token_ms,
      first_tokens = u.first_tokens + excluded.first_tokens, took_ms = u.took_ms + excluded.took_ms,
      own_ms = u.own_ms + excluded.own_ms;
  END IF;
  IF NEW.hour < rolled.month THEN
    INSERT INTO usage_month AS u (account_id, grain, month, key_id, model_id,
      requests, errors, input_units, cached_units, output_units, charged_nano, shortfall_nano,
      vendor_cost_nano, first_token_ms, first_tokens, took_ms, own_ms)
    SELECT NEW.account_id, g.grain, date_trunc('month', NEW.hour, 'UTC'), g.key_id, g.model_id,
      NEW.requests - COALESCE(OLD.requests, 0), NEW.errors - COALESCE(OLD.errors, 0),
      NEW.input_units - COALESCE(OLD.input_units, 0), NEW.cached_units - COALESCE(OLD.cached_units, 0),
      NEW.output_units - COALESCE(OLD.output_units, 0), NEW.charged_nano - COALESCE(OLD.charged_nano, 0),
      NEW.shortfall_nano - COALESCE(OLD.shortfall_nano, 0),
      NEW.vendor_cost_nano - COALESCE(OLD.vendor_cost_nano, 0),
      NEW.first_token_ms - COALESCE(OLD.first_token_ms, 0), NEW.first_tokens - COALESCE(OLD.first_tokens, 0),
      NEW.took_ms - COALESCE(OLD.took_ms, 0), NEW.own_ms - COALESCE(OLD.own_ms, 0)
      FROM (VALUES ('both', NEW.key_id, NEW.model_id), ('model', '', NEW.model_id), ('key', NEW.key_id, '')) AS g (grain, key_id, model_id)
    ON CONFLICT (account_id, grain, month, key_id, model_id) DO UPDATE SET
      requests = u.requests + excluded.requests, errors = u.errors + excluded.errors,
      input_units = u.input_units + excluded.input_units,
      cached_units = u.cached_units + excluded.cached_units,
      output_units = u.output_units + excluded.output_units,
      charged_nano = u.charged_nano + excluded.charged_nano,
      shortfall_nano = u.shortfall_nano + excluded.shortfall_nano,
      vendor_cost_nano = u.vendor_cost_nano + excluded.vendor_cost_nano,
      first_token_ms = u.first_token_ms + excluded.first_token_ms,
      first_tokens = u.first_tokens + excluded.first_tokens, took_ms = u.took_ms + excluded.took_ms,
      own_ms = u.own_ms + excluded.own_ms;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_hour_late AFTER INSERT OR UPDATE ON usage_hour FOR EACH ROW
  WHEN (NEW.hour < now() - interval '25 hours') EXECUTE FUNCTION note_late_usage();

SELECT roll_usage(now() - interval '2 days');

-- Secrets that a key had before it was rotated, each good until it expires. The key is the same: its limits, its usage
-- and its history are those of all its secrets.
CREATE TABLE "former_secret" (
  "secret_hmac" BYTEA NOT NULL,
  "key_id" TEXT NOT NULL,
  "hint" TEXT NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "former_secret_pkey" PRIMARY KEY ("secret_hmac")
);
CREATE INDEX "former_secret_key_id_idx" ON "former_secret"("key_id");
ALTER TABLE "former_secret" ADD CONSTRAINT "former_secret_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_key"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
