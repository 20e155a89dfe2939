-- What goes on in the gateway, by the minute, the hour and the day: telemetry, written once a second by each process that
-- serves the API. Money is exact in usage records alone; a process that crashes loses a second of this at most.
--
-- Rows of a grain: 'all' (its id is empty), 'model', 'connection' and 'deployment', so that no page adds up models over
-- minutes. A request is counted for the deployment that was called last; an attempt for the one it was made at. Times of
-- 'all' and 'model' are those of requests, of 'connection' and 'deployment' those of the calls to them.
--
-- The buckets are a histogram, without its empty ones: each number is the count times 128, plus the bucket's place. See
-- lib/domain/histogram.ts.
CREATE TABLE "traffic" (
  "span" TEXT NOT NULL,
  "grain" TEXT NOT NULL,
  "at" TIMESTAMPTZ(0) NOT NULL,
  "id" TEXT NOT NULL,
  "requests" BIGINT NOT NULL DEFAULT 0,
  "vendor_errors" BIGINT NOT NULL DEFAULT 0,
  "client_errors" BIGINT NOT NULL DEFAULT 0,
  "house_errors" BIGINT NOT NULL DEFAULT 0,
  "attempts" BIGINT NOT NULL DEFAULT 0,
  "attempt_failures" BIGINT NOT NULL DEFAULT 0,
  "attempt_limits" BIGINT NOT NULL DEFAULT 0,
  "retries" BIGINT NOT NULL DEFAULT 0,
  "input_tokens" BIGINT NOT NULL DEFAULT 0,
  "output_tokens" BIGINT NOT NULL DEFAULT 0,
  "charged_nano" BIGINT NOT NULL DEFAULT 0,
  "vendor_cost_nano" BIGINT NOT NULL DEFAULT 0,
  "shortfall_nano" BIGINT NOT NULL DEFAULT 0,
  "firsts" BIGINT NOT NULL DEFAULT 0,
  "answers" BIGINT NOT NULL DEFAULT 0,
  "first_ms" DOUBLE PRECISION NOT NULL DEFAULT 0,
  "took_ms" DOUBLE PRECISION NOT NULL DEFAULT 0,
  "first_buckets" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
  "took_buckets" BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
  CONSTRAINT "traffic_pkey" PRIMARY KEY ("span", "grain", "at", "id"),
  CONSTRAINT "traffic_grain" CHECK ("grain" IN ('all', 'model', 'connection', 'deployment'))
) PARTITION BY LIST ("span");
-- Rows are written again and again while their time lasts: room for that in their own page.
CREATE TABLE "traffic_minute" PARTITION OF "traffic" FOR VALUES IN ('minute') WITH (fillfactor = 60);
CREATE TABLE "traffic_hour" PARTITION OF "traffic" FOR VALUES IN ('hour') WITH (fillfactor = 60);
CREATE TABLE "traffic_day" PARTITION OF "traffic" FOR VALUES IN ('day');

-- The last batch that each process has written: one whose answer was lost is sent again, and counts once.
CREATE TABLE "traffic_writer" (
  "id" TEXT NOT NULL,
  "batch" BIGINT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "traffic_writer_pkey" PRIMARY KEY ("id")
);

CREATE FUNCTION add_buckets(a bigint[], b bigint[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN b = '{}' THEN a WHEN a = '{}' THEN b ELSE (
    SELECT array_agg(n * 128 + bucket ORDER BY bucket)
      FROM (SELECT v % 128 AS bucket, SUM(v / 128)::bigint AS n FROM unnest(a || b) AS v GROUP BY 1) AS merged) END
$$;

-- Adds a batch of a process; false where it was added before. It does not wait for the disk, as charges do.
CREATE FUNCTION add_traffic(p_writer text, p_batch bigint, p_rows json) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO traffic_writer AS w (id, batch, at) VALUES (p_writer, p_batch, now())
    ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, at = excluded.at WHERE w.batch < excluded.batch;
  IF NOT FOUND THEN RETURN false; END IF;
  -- In the order of the key: processes that write at once wait for each other, and never in a circle.
  INSERT INTO traffic AS t SELECT * FROM json_populate_recordset(NULL::traffic, p_rows) ORDER BY span, grain, at, id
    ON CONFLICT (span, grain, at, id) DO UPDATE SET
      requests = t.requests + excluded.requests,
      vendor_errors = t.vendor_errors + excluded.vendor_errors,
      client_errors = t.client_errors + excluded.client_errors,
      house_errors = t.house_errors + excluded.house_errors,
      attempts = t.attempts + excluded.attempts,
      attempt_failures = t.attempt_failures + excluded.attempt_failures,
      attempt_limits = t.attempt_limits + excluded.attempt_limits,
      retries = t.retries + excluded.retries,
      input_tokens = t.input_tokens + excluded.input_tokens,
      output_tokens = t.output_tokens + excluded.output_tokens,
      charged_nano = t.charged_nano + excluded.charged_nano,
      vendor_cost_nano = t.vendor_cost_nano + excluded.vendor_cost_nano,
      shortfall_nano = t.shortfall_nano + excluded.shortfall_nano,
      firsts = t.firsts + excluded.firsts,
      answers = t.answers + excluded.answers,
      first_ms = t.first_ms + excluded.first_ms,
      took_ms = t.took_ms + excluded.took_ms,
      first_buckets = add_buckets(t.first_buckets, excluded.first_buckets),
      took_buckets = add_buckets(t.took_buckets, excluded.took_buckets);
  RETURN true;
END $$;

-- Adds the hours of one day up. A repeat makes the day anew.
CREATE FUNCTION roll_traffic_day(p_day timestamptz) RETURNS void LANGUAGE sql AS $$
  WITH hours AS MATERIALIZED (
    SELECT * FROM traffic WHERE span = 'hour' AND at >= p_day AND at < p_day + interval '24 hours'
  ), sums AS (
    SELECT grain, id, SUM(requests) AS requests,
        SUM(vendor_errors) AS vendor_errors,
        SUM(client_errors) AS client_errors,
        SUM(house_errors) AS house_errors,
        SUM(attempts) AS attempts,
        SUM(attempt_failures) AS attempt_failures,
        SUM(attempt_limits) AS attempt_limits,
        SUM(retries) AS retries,
        SUM(input_tokens) AS input_tokens,
        SUM(output_tokens) AS output_tokens,
        SUM(charged_nano) AS charged_nano,
        SUM(vendor_cost_nano) AS vendor_cost_nano,
        SUM(shortfall_nano) AS shortfall_nano,
        SUM(firsts) AS firsts,
        SUM(answers) AS answers,
        SUM(first_ms) AS first_ms,
        SUM(took_ms) AS took_ms
      FROM hours GROUP BY grain, id
  ), firsts AS (
    SELECT grain, id, array_agg(n * 128 + bucket ORDER BY bucket) AS buckets
      FROM (SELECT grain, id, v % 128 AS bucket, SUM(v / 128)::bigint AS n FROM hours, unnest(first_buckets) AS v GROUP BY 1, 2, 3) AS b
     GROUP BY grain, id
  ), tooks AS (
    SELECT grain, id, array_agg(n * 128 + bucket ORDER BY bucket) AS buckets
      FROM (SELECT grain, id, v % 128 AS bucket, SUM(v / 128)::bigint AS n FROM hours, unnest(took_buckets) AS v GROUP BY 1, 2, 3) AS b
     GROUP BY grain, id
  )
  INSERT INTO traffic (span, grain, at, id, requests, vendor_errors, client_errors, house_errors, attempts, attempt_failures, attempt_limits, retries, input_tokens, output_tokens, charged_nano, vendor_cost_nano, shortfall_nano, firsts, answers, first_ms, took_ms, first_buckets, took_buckets)
  SELECT 'day', grain, p_day, id, s.requests, s.vendor_errors, s.client_errors, s.house_errors, s.attempts, s.attempt_failures, s.attempt_limits, s.retries, s.input_tokens, s.output_tokens, s.charged_nano, s.vendor_cost_nano, s.shortfall_nano, s.firsts, s.answers, s.first_ms, s.took_ms,
         COALESCE(f.buckets, '{}'), COALESCE(t.buckets, '{}')
    FROM sums s LEFT JOIN firsts f USING (grain, id) LEFT JOIN tooks t USING (grain, id)
   ORDER BY grain, id
  ON CONFLICT (span, grain, at, id) DO UPDATE SET
    requests = excluded.requests,
    vendor_errors = excluded.vendor_errors,
    client_errors = excluded.client_errors,
    house_errors = excluded.house_errors,
    attempts = excluded.attempts,
    attempt_failures = excluded.attempt_failures,
    attempt_limits = excluded.attempt_limits,
    retries = excluded.retries,
    input_tokens = excluded.input_tokens,
    output_tokens = excluded.output_tokens,
    charged_nano = excluded.charged_nano,
    vendor_cost_nano = excluded.vendor_cost_nano,
    shortfall_nano = excluded.shortfall_nano,
    firsts = excluded.firsts,
    answers = excluded.answers,
    first_ms = excluded.first_ms,
    took_ms = excluded.took_ms,
    first_buckets = excluded.first_buckets,
    took_buckets = excluded.took_buckets;
$$;

-- Adds up the days that are over and were not added up yet, or got more since, such as by a process that was cut off. A
-- day without traffic gets its row too: days before the last one that 'all' has are all there.
CREATE FUNCTION roll_traffic(p_now timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  today timestamptz := date_trunc('day', p_now, 'UTC');
  late timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('roll_traffic'));
  FOR late IN
    SELECT d.day
      FROM (SELECT min(at) AS at FROM traffic WHERE span = 'hour' AND grain = 'all' HAVING min(at) IS NOT NULL) AS oldest
      CROSS JOIN LATERAL generate_series(GREATEST(date_trunc('day', oldest.at, 'UTC'), today - interval '35 days'),
                                         today - interval '1 day', interval '24 hours') AS d (day)
      CROSS JOIN LATERAL (
        SELECT COALESCE(SUM(requests), 0) AS requests, COALESCE(SUM(attempts), 0) AS attempts
          FROM traffic WHERE span = 'hour' AND grain = 'all' AND at >= d.day AND at < d.day + interval '24 hours') AS h
      LEFT JOIN traffic t ON t.span = 'day' AND t.grain = 'all' AND t.at = d.day AND t.id = ''
     WHERE t.id IS NULL OR t.requests <> h.requests OR t.attempts <> h.attempts
     ORDER BY 1
  LOOP
    PERFORM roll_traffic_day(late);
    INSERT INTO traffic (span, grain, at, id) VALUES ('day', 'all', late, '') ON CONFLICT DO NOTHING;
  END LOOP;
END $$;

-- What made a breaker open, in our own words, and since when it was not closed, or was.
ALTER TABLE "deployment_health" ADD COLUMN "failure" TEXT;
ALTER TABLE "deployment_health" ADD COLUMN "failure_status" INTEGER;
ALTER TABLE "deployment_health" ADD COLUMN "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- What an operator wants of a breaker: a deployment that is held is not called, in no process, until it is let go.
CREATE TABLE "deployment_hold" (
  "deployment_id" TEXT NOT NULL,
  "held_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "held_by" TEXT NOT NULL,
  CONSTRAINT "deployment_hold_pkey" PRIMARY KEY ("deployment_id"),
  CONSTRAINT "deployment_hold_deployment_id_fkey" FOREIGN KEY ("deployment_id") REFERENCES "deployment"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
