-- The ledger's writes, each one statement from the gateway and so one transaction. lib/ledger/README.md
-- has the rules that they keep. Locks are always taken in this order: process, purses by id, leases.

-- One finished request, as the gateway posts it. `actual_nano` is what its units cost; what is
-- charged of it is decided in settle(). `budgets` are the purses of the key's limits.
CREATE TYPE settlement AS (
  id text, at timestamptz, account_id text, key_id text, group_id text, model_id text,
  endpoint text, stream boolean, status integer, outcome text,
  error_code text, error_text text, finish_reason text,
  input_units bigint, cached_units bigint, output_units bigint, reasoning_units bigint,
  hold_nano bigint, actual_nano bigint, vendor_cost_nano bigint, estimated boolean,
  receipt jsonb, trace jsonb,
  own_ms double precision, first_token_ms double precision, took_ms double precision,
  lease_id text, budgets text[], budget_leases text[], void boolean,
  idem_key text, idem_status integer, idem_headers jsonb, idem_body text
);

-- How long a wish for idle money stays in force.
CREATE FUNCTION recall_in_force(wanted_at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS
$$ SELECT wanted_at IS NOT NULL AND wanted_at > clock_timestamp() - interval '2 seconds' $$;

-- The purses of a key's limits at a time. A request that began before its key had a limit counts against it all
-- the same, or what is left of the limit would not be what the key's charges leave.
CREATE FUNCTION key_purses(key_id text, at timestamptz) RETURNS text[] LANGUAGE sql STABLE AS
$$ SELECT ARRAY[key_id || ':total', key_id || ':' || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM')] $$;

-- Charges a batch. A repeat of an id changes nothing and answers what was charged the first time.
-- Takes from the lease what is there, then from free money; the rest is the shortfall.
CREATE FUNCTION settle(batch json)
RETURNS TABLE (id text, fresh boolean, charged_nano bigint, shortfall_nano bigint, balance_nano bigint, recall boolean)
LANGUAGE plpgsql
-- A plan is kept for the life of a connection. One that was made while the tables were small would read them whole
-- for ever after; every table here is asked by its key.
SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  items settlement[];
  written text[];
BEGIN
  SELECT array_agg(s) INTO items FROM json_populate_recordset(NULL::settlement, batch) s;

  PERFORM 1 FROM purse p
    WHERE p.id IN (SELECT i.account_id FROM unnest(items) i
                   UNION SELECT b FROM unnest(items) i, unnest(key_purses(i.key_id, i.at)) b)
    ORDER BY p.id FOR UPDATE;

  WITH new AS (
    SELECT DISTINCT ON (i.id) i.* FROM unnest(items) i
     WHERE NOT EXISTS (SELECT 1 FROM usage_record u WHERE u.id = i.id AND u.at = i.at)
     ORDER BY i.id, i.void
  ), draw AS (
    SELECT n.id, n.account_id AS purse_id, n.lease_id, LEAST(n.actual_nano, n.hold_nano) AS want FROM new n
    UNION ALL
    SELECT n.id, n.budgets[k], n.budget_leases[k], LEAST(n.actual_nano, n.hold_nano)
      FROM new n, generate_subscripts(n.budgets, 1) k
    UNION ALL
    SELECT n.id, p.id, NULL, 0 FROM new n, unnest(key_purses(n.key_id, n.at)) b, purse p
     WHERE p.id = b AND p.id <> ALL (n.budgets)
  ), taken AS (
    SELECT d.id, d.purse_id, d.lease_id,
           GREATEST(0, LEAST(d.want, COALESCE(l.amount, 0)
             - (SUM(d.want) OVER (PARTITION BY d.lease_id ORDER BY d.id) - d.want)))::bigint AS amount
      FROM draw d LEFT JOIN lease l ON l.id = d.lease_id
  ), rest AS (
    SELECT n.id, n.account_id, n.actual_nano - t.amount AS need, t.amount AS from_lease,
           p.credit - p.spent - p.leased AS free,
           SUM(n.actual_nano - t.amount) OVER (PARTITION BY n.account_id ORDER BY n.id) AS need_to_here
      FROM new n
      JOIN taken t ON t.id = n.id AND t.purse_id = n.account_id
      JOIN purse p ON p.id = n.account_id
  ), due AS (
    SELECT r.id, (r.from_lease + LEAST(r.need, GREATEST(0, r.free - (r.need_to_here - r.need))))::bigint AS charged
      FROM rest r
  ), put AS (
    INSERT INTO usage_record (id, at, account_id, key_id, group_id, model_id, endpoint, stream, status, outcome,
        error_code, error_text, finish_reason, input_units, cached_units, output_units, reasoning_units,
        hold_nano, charged_nano, shortfall_nano, vendor_cost_nano, estimated, receipt, trace,
        own_ms, first_token_ms, took_ms)
    SELECT n.id, n.at, n.account_id, n.key_id, n.group_id, n.model_id, n.endpoint, n.stream, n.status, n.outcome,
        n.error_code, n.error_text, n.finish_reason, n.input_units, n.cached_units, n.output_units, n.reasoning_units,
        n.hold_nano, d.charged, n.actual_nano - d.charged, n.vendor_cost_nano, n.estimated, n.receipt, n.trace,
        n.own_ms, n.first_token_ms, n.took_ms
      FROM new n JOIN due d ON d.id = n.id
    RETURNING id
  ), spend AS (
    UPDATE purse p SET spent = p.spent + s.charged, leased = p.leased - s.amount
      FROM (SELECT t.purse_id, SUM(d.charged) AS charged, SUM(t.amount) AS amount
              FROM taken t JOIN due d ON d.id = t.id GROUP BY t.purse_id
            HAVING SUM(d.charged) > 0 OR SUM(t.amount) > 0) s
     WHERE p.id = s.purse_id
  ), shrink AS (
    UPDATE lease l SET amount = l.amount - s.amount
      FROM (SELECT t.lease_id, SUM(t.amount) AS amount FROM taken t GROUP BY t.lease_id HAVING SUM(t.amount) > 0) s
     WHERE l.id = s.lease_id
  ), roll AS (
    INSERT INTO usage_hour AS h (account_id, hour, key_id, model_id, requests, errors, input_units, cached_units,
        output_units, charged_nano, shortfall_nano, vendor_cost_nano, first_token_ms, first_tokens, took_ms, own_ms)
    SELECT n.account_id, date_trunc('hour', n.at, 'UTC'), n.key_id, n.model_id,
        count(*), count(*) FILTER (WHERE n.status >= 400), SUM(n.input_units), SUM(n.cached_units),
        SUM(n.output_units), SUM(d.charged), SUM(n.actual_nano - d.charged), SUM(n.vendor_cost_nano),
        COALESCE(SUM(n.first_token_ms), 0), count(n.first_token_ms), SUM(n.took_ms), SUM(n.own_ms)
      FROM new n JOIN due d ON d.id = n.id
     GROUP BY 1, 2, 3, 4
    ON CONFLICT (account_id, hour, key_id, model_id) DO UPDATE SET
        requests = h.requests + excluded.requests, errors = h.errors + excluded.errors,
        input_units = h.input_units + excluded.input_units, cached_units = h.cached_units + excluded.cached_units,
        output_units = h.output_units + excluded.output_units, charged_nano = h.charged_nano + excluded.charged_nano,
        shortfall_nano = h.shortfall_nano + excluded.shortfall_nano,
        vendor_cost_nano = h.vendor_cost_nano + excluded.vendor_cost_nano,
        first_token_ms = h.first_token_ms + excluded.first_token_ms, first_tokens = h.first_tokens + excluded.first_tokens,
        took_ms = h.took_ms + excluded.took_ms, own_ms = h.own_ms + excluded.own_ms
  ), answered AS (
    UPDATE idempotency x SET status = n.idem_status, headers = n.idem_headers, body = decode(n.idem_body, 'base64')
      FROM new n
     WHERE n.idem_key IS NOT NULL AND n.idem_status IS NOT NULL
       AND x.account_id = n.account_id AND x.key = n.idem_key AND x.request_id = n.id
  )
  SELECT array_agg(put.id) INTO written FROM put;

  -- An answer that was never delivered is not paid for: if its first posting did get through after
  -- all, the charge is given back, and no repeat gets the answer for nothing.
  IF EXISTS (SELECT 1 FROM unnest(items) i WHERE i.void) THEN
    DELETE FROM idempotency x USING unnest(items) i
     WHERE i.void AND x.account_id = i.account_id AND x.request_id = i.id;
    WITH back AS (
      INSERT INTO entry (id, account_id, kind, amount_nano, reason, actor)
      SELECT 'rev_' || u.id, u.account_id, 'reversal', u.charged_nano, 'The answer could not be delivered.', 'ledger'
        FROM unnest(items) i JOIN usage_record u ON u.id = i.id AND u.at = i.at
       WHERE i.void AND u.charged_nano > 0
      ON CONFLICT DO NOTHING
      RETURNING account_id, amount_nano
    )
    UPDATE purse p SET credit = p.credit + b.amount
      FROM (SELECT account_id, SUM(amount_nano) AS amount FROM back GROUP BY account_id) b
     WHERE p.id = b.account_id;
  END IF;

  RETURN QUERY
  SELECT u.id, u.id = ANY (COALESCE(written, '{}')), u.charged_nano, u.shortfall_nano,
         p.credit - p.spent, recall_in_force(p.recall_wanted_at)
    FROM unnest(items) i
    JOIN usage_record u ON u.id = i.id AND u.at = i.at
    JOIN purse p ON p.id = u.account_id;
END $$;

-- Lends `need` nano to a process, and `want` where that much is free; where money is plenty, an eighth of
-- the free rest with it. The same `seq` asked again (its answer was lost) answers what was granted the first time.
-- Nothing to lend: the purse is marked, so that other owners give back what they do not use. `unheard` says
-- that one of them has not done so since `p_since`: until then, money may turn up.
-- No row: the process is not registered (it was swept).
CREATE FUNCTION lease_grow(p_owner text, p_purse text, p_account text, p_key text, p_limit bigint, p_month timestamptz,
                           p_seq bigint, p_need bigint, p_want bigint, p_since timestamptz)
RETURNS TABLE (granted bigint, balance_nano bigint, elsewhere boolean, unheard boolean, asked_at timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  p purse;
  l lease;
  free bigint;
  amount bigint := 0;
  lease_key text := p_owner || '/' || p_purse;
BEGIN
  PERFORM 1 FROM process WHERE process.id = p_owner FOR KEY SHARE;
  IF NOT FOUND THEN RETURN; END IF;

  IF p_key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM purse WHERE purse.id = p_purse) THEN
    -- With the account locked nothing settles meanwhile: every charge is either in the sum or will find the purse.
    PERFORM 1 FROM purse WHERE purse.id = p_account FOR UPDATE;
    INSERT INTO purse (id, kind, account_id, key_id, credit, spent)
    SELECT p_purse, 'key', p_account, p_key, p_limit, COALESCE(SUM(h.charged_nano), 0)
      FROM usage_hour h
     WHERE h.account_id = p_account AND h.key_id = p_key AND (p_month IS NULL
        OR h.hour >= p_month AND h.hour < (p_month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC')
    ON CONFLICT DO NOTHING;
  END IF;

  SELECT * INTO p FROM purse WHERE purse.id = p_purse FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'no purse %', p_purse; END IF;
  SELECT * INTO l FROM lease WHERE lease.id = lease_key;

  IF l.seq = p_seq THEN
    amount := l.granted;
  ELSIF l.seq > p_seq THEN
    -- A question that was given up and repeated long ago: nobody listens to this answer.
    amount := 0;
  ELSE
    free := p.credit - p.spent - p.leased;
    IF free >= p_need THEN
      amount := GREATEST(p_need, LEAST(free, p_want));
      IF NOT recall_in_force(p.recall_wanted_at) THEN amount := amount + (free - amount) / 8; END IF;
      UPDATE purse SET leased = purse.leased + amount WHERE purse.id = p_purse;
    ELSIF p.leased > COALESCE(l.amount, 0) THEN
      UPDATE purse SET recall_wanted_at = clock_timestamp() WHERE purse.id = p_purse;
      PERFORM pg_notify('tollgate_recall', p_purse);
    END IF;
    INSERT INTO lease (id, owner, purse_id, amount, seq, granted)
    VALUES (lease_key, p_owner, p_purse, amount, p_seq, amount)
    ON CONFLICT (id) DO UPDATE SET amount = lease.amount + excluded.amount, seq = excluded.seq, granted = excluded.granted;
  END IF;

  RETURN QUERY
  SELECT amount, p.credit - p.spent, p.leased > COALESCE(l.amount, 0),
         EXISTS (SELECT 1 FROM lease o WHERE o.purse_id = p_purse AND o.id <> lease_key AND o.amount > 0
                    AND o.acked_at < COALESCE(p_since, clock_timestamp())),
         clock_timestamp();
END $$;

-- Takes idle money back from a process, and notes that it gave what it could. The caller has lowered its memory
-- first; a repeat of `seq` is harmless.
CREATE FUNCTION lease_return(p_owner text, p_purse text, p_seq bigint, p_amount bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  wanted timestamptz;
  back bigint;
  lease_key text := p_owner || '/' || p_purse;
BEGIN
  SELECT p.recall_wanted_at INTO wanted FROM purse p WHERE p.id = p_purse FOR UPDATE;
  SELECT LEAST(p_amount, l.amount) INTO back FROM lease l WHERE l.id = lease_key AND l.seq < p_seq;
  IF back IS NULL THEN RETURN; END IF;
  UPDATE lease SET amount = amount - back, seq = p_seq, granted = -back, acked_at = clock_timestamp() WHERE id = lease_key;
  UPDATE purse SET leased = leased - back WHERE id = p_purse;
  IF recall_in_force(wanted) THEN PERFORM pg_notify('tollgate_returned', p_purse); END IF;
END $$;

-- Keeps a process alive. No row: it was swept. Also says which of its purses are wanted elsewhere,
-- and on which timeline the server is, so that a failover is noticed.
CREATE FUNCTION process_beat(p_id text) RETURNS TABLE (recalled text[], timeline text)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE process SET beat_at = clock_timestamp() WHERE id = p_id;
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY
  SELECT COALESCE((SELECT array_agg(l.purse_id) FROM lease l JOIN purse p ON p.id = l.purse_id
                    WHERE l.owner = p_id AND l.amount > 0 AND recall_in_force(p.recall_wanted_at)), '{}'),
         (SELECT s.system_identifier FROM pg_control_system() s) || '/' || (SELECT c.timeline_id FROM pg_control_checkpoint() c);
END $$;

-- Gives back what one dead process held. Answers its id, or nothing when none is dead.
CREATE FUNCTION sweep_one(p_life interval) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  dead text;
BEGIN
  SELECT id INTO dead FROM process WHERE beat_at < clock_timestamp() - p_life
   ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF dead IS NULL THEN RETURN NULL; END IF;
  PERFORM release_process(dead);
  RETURN dead;
END $$;

-- Gives back everything a process holds and forgets the process. The caller holds or takes its row lock.
CREATE FUNCTION release_process(p_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM process WHERE id = p_id FOR UPDATE;
  PERFORM 1 FROM purse WHERE id IN (SELECT purse_id FROM lease WHERE owner = p_id) ORDER BY id FOR UPDATE;
  UPDATE purse p SET leased = p.leased - l.amount FROM lease l WHERE l.owner = p_id AND p.id = l.purse_id;
  DELETE FROM lease WHERE owner = p_id;
  DELETE FROM process WHERE id = p_id;
END $$;

-- Makes one partition from a time in UTC, unless it is there. Rows of that time that came before it are in
-- the default partition and stay there, together with what follows them.
CREATE FUNCTION make_partition(p_table text, p_name text, p_first timestamp, p_length interval) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF to_regclass(p_name) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', p_name, p_table,
    p_first AT TIME ZONE 'UTC', (p_first + p_length) AT TIME ZONE 'UTC');
EXCEPTION WHEN check_violation THEN
  RAISE WARNING 'the partition % is not made, its rows are in the default partition', p_name;
END $$;

-- Makes the partitions for the days ahead: months of usage records, days of history.
CREATE FUNCTION make_partitions(p_from timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  first timestamp;
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('tollgate partitions'));
  FOR i IN 0..2 LOOP
    first := date_trunc('month', p_from AT TIME ZONE 'UTC') + make_interval(months => i);
    name := 'usage_record_' || to_char(first, 'YYYYMM');
    PERFORM make_partition('usage_record', name, first, interval '1 month');
  END LOOP;
  FOR i IN 0..7 LOOP
    first := date_trunc('day', p_from AT TIME ZONE 'UTC') + make_interval(days => i);
    name := 'history_' || to_char(first, 'YYYYMMDD');
    PERFORM make_partition('history', name, first, interval '1 day');
  END LOOP;
END $$;

-- What is written once stays as it is.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$;
CREATE TRIGGER entry_append_only BEFORE UPDATE OR DELETE ON entry FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER usage_record_append_only BEFORE UPDATE OR DELETE ON usage_record FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER price_append_only BEFORE UPDATE OR DELETE ON price FOR EACH ROW EXECUTE FUNCTION refuse_change();

SELECT make_partitions(now());
