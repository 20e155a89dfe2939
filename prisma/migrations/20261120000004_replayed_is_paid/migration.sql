-- As before, but for an answer that a repeat with the same Idempotency-Key got meanwhile: it was delivered after all,
-- and its charge stays. The owner of such a row is `replayed`. The caller has locked the purses.
CREATE OR REPLACE FUNCTION undo_voided(p_id text[], p_at timestamptz[], p_void boolean[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  IF NOT true = ANY (p_void) THEN RETURN; END IF;
  -- A repeat that comes now waits, and then finds the answer gone.
  PERFORM 1 FROM unnest(p_id, p_at, p_void) AS i (id, at, void)
    JOIN usage_record u ON u.id = i.id AND u.at = i.at
    JOIN idempotency x ON x.account_id = u.account_id AND x.request_id = u.id
   WHERE i.void FOR UPDATE OF x;
  WITH undone AS MATERIALIZED (
    SELECT u.id, u.account_id, u.charged_nano FROM unnest(p_id, p_at, p_void) AS i (id, at, void)
      JOIN usage_record u ON u.id = i.id AND u.at = i.at
     WHERE i.void AND NOT EXISTS (SELECT 1 FROM idempotency x
            WHERE x.account_id = u.account_id AND x.request_id = u.id AND x.owner = 'replayed')
  ), forgotten AS (
    DELETE FROM idempotency x USING undone u WHERE x.account_id = u.account_id AND x.request_id = u.id
  ), back AS (
    INSERT INTO entry (id, account_id, kind, amount_nano, reason, actor)
    SELECT 'rev_' || u.id, u.account_id, 'reversal', u.charged_nano, 'The answer could not be delivered.', 'ledger'
      FROM undone u WHERE u.charged_nano > 0
    ON CONFLICT DO NOTHING
    RETURNING account_id, amount_nano
  )
  UPDATE purse p SET credit = p.credit + b.amount
    FROM (SELECT account_id, SUM(amount_nano) AS amount FROM back GROUP BY account_id) b
   WHERE p.id = b.account_id;
END $$;
