-- What settling writes and answers for each request is made lighter; no rule of it changes.

-- Read by few and written by every request: as jsonb they took a sixth of the time of settling to write down.
ALTER TABLE "usage_record" ALTER COLUMN "receipt" TYPE JSON USING "receipt"::json,
                           ALTER COLUMN "trace" TYPE JSON USING "trace"::json;

-- settle() stays until a later migration: while machines get this release one after the other, those that still have the one
-- before call it.

-- Charges a batch; its rows come as columns. Takes from the lease what is there, then from free money; the rest is
-- the shortfall. Where each row is charged its price out of its leases, which is nearly always, it answers one row for
-- each account, without an id; else one for each row of the batch.
--   p_drawn    the purses that the batch draws on: its accounts, and its keys' limits
--   p_undrawn  the purses of limits that a key of the batch has not, or had not when a request began; should they
--              exist by now, what their key spends counts against them all the same
--   p_again    a row may have been posted before: it then changes nothing, and what was charged is answered. A batch
--              that says otherwise and is wrong fails as a whole on the records' unique id (23505).
--   p_draw_*   which row draws how much, at most, on which purse through which lease (none: null); an account first
--   p_receipts, p_traces  JSON of each row, with the character 30 between them: it never stands in JSON
--   p_answer_* the answers that are kept for a repeat with the same Idempotency-Key
CREATE FUNCTION settle_batch(
  p_drawn text[], p_undrawn text[], p_again boolean,
  p_id text[], p_at timestamptz[], p_account_id text[], p_key_id text[], p_group_id text[], p_model_id text[],
  p_endpoint text[], p_stream boolean[], p_status integer[], p_outcome text[], p_error_code text[], p_error_text text[],
  p_finish_reason text[], p_input bigint[], p_cached bigint[], p_output bigint[], p_reasoning bigint[],
  p_hold bigint[], p_actual bigint[], p_vendor_cost bigint[], p_estimated boolean[], p_receipts text, p_traces text,
  p_own_ms float8[], p_first_token_ms float8[], p_took_ms float8[], p_void boolean[],
  p_draw_row integer[], p_draw_purse text[], p_draw_lease text[], p_draw_want bigint[],
  p_answer_row integer[], p_answer_key text[], p_answer_status integer[], p_answer_headers jsonb[], p_answer_body bytea[]
)
RETURNS TABLE (account_id text, id text, fresh boolean, charged_nano bigint, shortfall_nano bigint, balance_nano bigint,
               recall boolean)
LANGUAGE plpgsql
-- A plan is kept for the life of a connection. One that was made while the tables were small would read them whole
-- for ever after; every table here is asked by its key. And one that is made anew for each batch takes longer to
-- make than to run.
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  -- Null for a row that was charged before.
  charges bigint[] := p_actual;
  draw_row integer[] := p_draw_row;
  draw_purse text[] := p_draw_purse;
  draw_lease text[] := p_draw_lease;
  draw_take bigint[] := p_draw_want;
  -- Arrays in variables are taken apart once; those that unnest() reads together cost more than all the rest.
  receipts text[] := string_to_array(p_receipts, chr(30));
  traces text[] := string_to_array(p_traces, chr(30));
  -- As in recall_in_force().
  recalled_since timestamptz := clock_timestamp() - interval '2 seconds';
  -- How many of the purses there are.
  drawn bigint;
  undrawn bigint;
  worked_out boolean := false;
BEGIN
  PERFORM 1 FROM purse p WHERE p.id = ANY (p_drawn || p_undrawn) ORDER BY p.id FOR UPDATE;
  -- Counted in a statement of its own: a purse that was made while this one waited for its account is seen only by the next.
  SELECT count(*) FILTER (WHERE p.id = ANY (p_drawn)), count(*) FILTER (WHERE p.id = ANY (p_undrawn))
    INTO drawn, undrawn FROM purse p WHERE p.id = ANY (p_drawn || p_undrawn);

  IF p_again OR undrawn > 0 OR drawn < cardinality(p_drawn)
     OR EXISTS (SELECT 1 FROM unnest(p_actual, p_hold) AS w (actual, hold) WHERE w.actual > w.hold)
     OR EXISTS (SELECT 1
                  FROM (SELECT d.lease, SUM(d.want) AS want FROM unnest(p_draw_lease, p_draw_want) AS d (lease, want)
                         GROUP BY d.lease HAVING SUM(d.want) > 0) s
                  LEFT JOIN lease l ON l.id = s.lease
                 WHERE l.amount IS NULL OR l.amount < s.want)
  THEN
    -- Not every row is charged its price out of its lease: who gets what is worked out.
    worked_out := true;
    WITH new AS MATERIALIZED (
      -- A void that shares a batch with what it undoes comes second.
      SELECT DISTINCT ON (i.id) i.row, i.account_id, i.key_id, i.at, i.actual
        FROM unnest(p_id, p_at, p_account_id, p_key_id, p_actual, p_void)
             WITH ORDINALITY AS i (id, at, account_id, key_id, actual, void, row)
       WHERE NOT p_again OR NOT EXISTS (SELECT 1 FROM usage_record u WHERE u.id = i.id AND u.at = i.at)
       ORDER BY i.id, i.void, i.row
    ), draw AS MATERIALIZED (
      SELECT d.row, d.purse_id, d.lease_id, d.want
        FROM unnest(p_draw_row, p_draw_purse, p_draw_lease, p_draw_want) AS d (row, purse_id, lease_id, want)
        JOIN new n ON n.row = d.row
    ), undrawn AS (
      SELECT n.row, p.id AS purse_id
        FROM purse p JOIN new n
          ON p.id IN (n.key_id || ':total', n.key_id || ':' || to_char(n.at AT TIME ZONE 'UTC', 'YYYY-MM'))
       WHERE p.id = ANY (p_undrawn) AND NOT EXISTS (SELECT 1 FROM draw d WHERE d.row = n.row AND d.purse_id = p.id)
    ), taken AS MATERIALIZED (
      SELECT d.row, d.purse_id, d.lease_id,
             GREATEST(0, LEAST(d.want, COALESCE(l.amount, 0)
               - (SUM(d.want) OVER (PARTITION BY d.lease_id ORDER BY d.row) - d.want)))::bigint AS amount
        FROM (SELECT * FROM draw UNION ALL SELECT row, purse_id, NULL, 0 FROM undrawn) d
        LEFT JOIN lease l ON l.id = d.lease_id
    ), rest AS (
      SELECT n.row, n.actual - t.amount AS need, t.amount AS from_lease, p.credit - p.spent - p.leased AS free,
             SUM(n.actual - t.amount) OVER (PARTITION BY n.account_id ORDER BY n.row) AS need_to_here
        FROM new n
        JOIN taken t ON t.row = n.row AND t.purse_id = n.account_id
        JOIN purse p ON p.id = n.account_id
    ), due AS MATERIALIZED (
      SELECT r.row, (r.from_lease + LEAST(r.need, GREATEST(0, r.free - (r.need_to_here - r.need))))::bigint AS charged
        FROM rest r
    )
    SELECT (SELECT array_agg(due.charged ORDER BY i.row)
              FROM generate_subscripts(p_id, 1) AS i (row) LEFT JOIN due ON due.row = i.row),
           array_agg(t.row), array_agg(t.purse_id), array_agg(t.lease_id), array_agg(t.amount)
      INTO charges, draw_row, draw_purse, draw_lease, draw_take
      FROM taken t JOIN due ON due.row = t.row;
  END IF;

  INSERT INTO usage_record (id, at, account_id, key_id, group_id, model_id, endpoint, stream, status, outcome,
      error_code, error_text, finish_reason, input_units, cached_units, output_units, reasoning_units,
      hold_nano, charged_nano, shortfall_nano, vendor_cost_nano, estimated, receipt, trace,
      own_ms, first_token_ms, took_ms)
  SELECT p_id[i], p_at[i], p_account_id[i], p_key_id[i], p_group_id[i], p_model_id[i], p_endpoint[i], p_stream[i],
      p_status[i], p_outcome[i], p_error_code[i], p_error_text[i], p_finish_reason[i],
      p_input[i], p_cached[i], p_output[i], p_reasoning[i],
      p_hold[i], charges[i], p_actual[i] - charges[i], p_vendor_cost[i], p_estimated[i],
      receipts[i]::json, traces[i]::json, p_own_ms[i], p_first_token_ms[i], p_took_ms[i]
    FROM generate_subscripts(p_id, 1) AS i
   WHERE charges[i] IS NOT NULL;

  UPDATE purse p SET spent = p.spent + s.charged, leased = p.leased - s.take
    FROM (SELECT d.purse_id, SUM(charges[d.row]) AS charged, SUM(d.take) AS take
            FROM unnest(draw_row, draw_purse, draw_take) AS d (row, purse_id, take)
           GROUP BY d.purse_id HAVING SUM(charges[d.row]) > 0 OR SUM(d.take) > 0) s
   WHERE p.id = s.purse_id;

  UPDATE lease l SET amount = l.amount - s.take
    FROM (SELECT d.lease_id, SUM(d.take) AS take FROM unnest(draw_lease, draw_take) AS d (lease_id, take)
           GROUP BY d.lease_id HAVING SUM(d.take) > 0) s
   WHERE l.id = s.lease_id;

  INSERT INTO usage_hour AS h (account_id, hour, key_id, model_id, requests, errors, input_units, cached_units,
      output_units, charged_nano, shortfall_nano, vendor_cost_nano, first_token_ms, first_tokens, took_ms, own_ms)
  SELECT p_account_id[i], date_trunc('hour', p_at[i], 'UTC'), p_key_id[i], p_model_id[i],
      count(*), count(*) FILTER (WHERE p_status[i] >= 400), SUM(p_input[i]), SUM(p_cached[i]),
      SUM(p_output[i]), SUM(charges[i]), SUM(p_actual[i] - charges[i]), SUM(p_vendor_cost[i]),
      COALESCE(SUM(p_first_token_ms[i]), 0), count(p_first_token_ms[i]), SUM(p_took_ms[i]), SUM(p_own_ms[i])
    FROM generate_subscripts(p_id, 1) AS i
   WHERE charges[i] IS NOT NULL
   GROUP BY 1, 2, 3, 4
  ON CONFLICT (account_id, hour, key_id, model_id) DO UPDATE SET
      requests = h.requests + excluded.requests, errors = h.errors + excluded.errors,
      input_units = h.input_units + excluded.input_units, cached_units = h.cached_units + excluded.cached_units,
      output_units = h.output_units + excluded.output_units, charged_nano = h.charged_nano + excluded.charged_nano,
      shortfall_nano = h.shortfall_nano + excluded.shortfall_nano,
      vendor_cost_nano = h.vendor_cost_nano + excluded.vendor_cost_nano,
      first_token_ms = h.first_token_ms + excluded.first_token_ms, first_tokens = h.first_tokens + excluded.first_tokens,
      took_ms = h.took_ms + excluded.took_ms, own_ms = h.own_ms + excluded.own_ms;

  IF cardinality(p_answer_row) > 0 THEN
    UPDATE idempotency x SET status = a.status, headers = a.headers, body = a.body
      FROM unnest(p_answer_row, p_answer_key, p_answer_status, p_answer_headers, p_answer_body)
           AS a (row, key, status, headers, body)
     WHERE charges[a.row] IS NOT NULL
       AND x.account_id = p_account_id[a.row] AND x.key = a.key AND x.request_id = p_id[a.row];
  END IF;

  IF p_again THEN PERFORM undo_voided(p_id, p_at, p_void); END IF;

  IF NOT worked_out THEN
    RETURN QUERY
    SELECT p.id, NULL::text, true, NULL::bigint, NULL::bigint, p.credit - p.spent,
           COALESCE(p.recall_wanted_at > recalled_since, false)
      FROM purse p WHERE p.id = ANY (p_drawn) AND p.kind = 'account';
    RETURN;
  END IF;

  RETURN QUERY
  SELECT p.id, p_id[i], true, charges[i], p_actual[i] - charges[i], p.credit - p.spent,
         COALESCE(p.recall_wanted_at > recalled_since, false)
    FROM generate_subscripts(p_id, 1) AS i JOIN purse p ON p.id = p_account_id[i]
   WHERE charges[i] IS NOT NULL;

  IF p_again THEN
    RETURN QUERY
    SELECT p.id, u.id, false, u.charged_nano, u.shortfall_nano, p.credit - p.spent,
           COALESCE(p.recall_wanted_at > recalled_since, false)
      FROM unnest(p_id, p_at, charges) AS n (id, at, charged)
      JOIN usage_record u ON u.id = n.id AND u.at = n.at
      JOIN purse p ON p.id = u.account_id
     WHERE n.charged IS NULL;
  END IF;
END $$;
