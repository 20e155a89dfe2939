-- The quick half of settling. Nearly every batch charges each of its requests its price out of its lease: then the records
-- go to the table as COPY reads them, and this adds up what they change. It refuses (TG001), and with it all of the
-- transaction, where that is not so; settle_batch() then works out who gets what. No rule of settling is told here alone.
--   p_purse, p_charged   what each purse pays, all of it leased
--   p_undrawn            the purses of limits that a key has not; should they exist, this is not for them
--   p_lease, p_taken     what is taken of each lease
--   p_account_id to p_own_ms   what is added to the hours
CREATE FUNCTION settle_at_once(
  p_purse text[], p_charged bigint[], p_undrawn text[], p_lease text[], p_taken bigint[],
  p_account_id text[], p_hour timestamptz[], p_key_id text[], p_model_id text[], p_requests bigint[], p_errors bigint[],
  p_input bigint[], p_cached bigint[], p_output bigint[], p_charges bigint[], p_vendor_cost bigint[],
  p_first_token_ms float8[], p_first_tokens bigint[], p_took_ms float8[], p_own_ms float8[]
)
RETURNS TABLE (account_id text, balance_nano bigint, recall boolean)
LANGUAGE plpgsql
-- As in settle_batch().
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  changed bigint;
  -- As in recall_in_force().
  recalled_since timestamptz := clock_timestamp() - interval '2 seconds';
BEGIN
  -- Locks are taken in one order. A single purse is locked by what changes it.
  IF cardinality(p_purse) > 1 THEN
    PERFORM 1 FROM purse p WHERE p.id = ANY (p_purse) ORDER BY p.id FOR UPDATE;
  END IF;
  RETURN QUERY
  UPDATE purse p SET spent = p.spent + s.charged, leased = p.leased - s.charged
    FROM unnest(p_purse, p_charged) AS s (id, charged)
   WHERE p.id = s.id
  RETURNING CASE p.kind WHEN 'account' THEN p.id END, p.credit - p.spent, COALESCE(p.recall_wanted_at > recalled_since, false);
  GET DIAGNOSTICS changed = ROW_COUNT;
  -- A purse of a limit that was made while this waited for its account is seen only now.
  IF changed < cardinality(p_purse) OR EXISTS (SELECT 1 FROM purse p WHERE p.id = ANY (p_undrawn)) THEN
    RAISE EXCEPTION 'not all purses are as they were' USING ERRCODE = 'TG001';
  END IF;

  UPDATE lease l SET amount = l.amount - s.taken
    FROM unnest(p_lease, p_taken) AS s (id, taken)
   WHERE l.id = s.id AND l.amount >= s.taken;
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF changed < cardinality(p_lease) THEN
    RAISE EXCEPTION 'a lease does not cover its requests' USING ERRCODE = 'TG001';
  END IF;

  INSERT INTO usage_hour AS h (account_id, hour, key_id, model_id, requests, errors, input_units, cached_units,
      output_units, charged_nano, shortfall_nano, vendor_cost_nano, first_token_ms, first_tokens, took_ms, own_ms)
  SELECT s.account_id, s.hour, s.key_id, s.model_id, s.requests, s.errors, s.input, s.cached, s.output, s.charges, 0,
      s.vendor_cost, s.first_token_ms, s.first_tokens, s.took_ms, s.own_ms
    FROM unnest(p_account_id, p_hour, p_key_id, p_model_id, p_requests, p_errors, p_input, p_cached, p_output, p_charges,
                p_vendor_cost, p_first_token_ms, p_first_tokens, p_took_ms, p_own_ms)
      AS s (account_id, hour, key_id, model_id, requests, errors, input, cached, output, charges,
            vendor_cost, first_token_ms, first_tokens, took_ms, own_ms)
  ON CONFLICT (account_id, hour, key_id, model_id) DO UPDATE SET
      requests = h.requests + excluded.requests, errors = h.errors + excluded.errors,
      input_units = h.input_units + excluded.input_units, cached_units = h.cached_units + excluded.cached_units,
      output_units = h.output_units + excluded.output_units, charged_nano = h.charged_nano + excluded.charged_nano,
      vendor_cost_nano = h.vendor_cost_nano + excluded.vendor_cost_nano,
      first_token_ms = h.first_token_ms + excluded.first_token_ms, first_tokens = h.first_tokens + excluded.first_tokens,
      took_ms = h.took_ms + excluded.took_ms, own_ms = h.own_ms + excluded.own_ms;
END $$;

-- It locks tables whole. Behind one who waits for such a lock everybody waits, and a transaction that was cut off in the
-- middle of its COPY may take a while to end; partitions are made long before they are needed, and tried again every hour.
ALTER FUNCTION make_partitions(timestamptz) SET lock_timeout = '3s';

-- settle_batch() took its place in migration 25, and no machine calls it any more.
DROP FUNCTION settle;
