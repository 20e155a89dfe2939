-- Tasks: work that outlives its request. What a task holds is a lease without a process, so that every rule of leases
-- holds for it, and no sweep of a dead process can free it. lib/ledger/README.md has the rules.

CREATE TABLE "task" (
  "id" TEXT NOT NULL,
  "request_id" TEXT NOT NULL,
  "account_id" TEXT NOT NULL,
  "key_id" TEXT NOT NULL,
  "group_id" TEXT NOT NULL,
  "model_id" TEXT NOT NULL,
  "endpoint" TEXT NOT NULL,
  "state" TEXT NOT NULL DEFAULT 'pending',
  "seconds" INTEGER NOT NULL,
  "ask" JSON,
  "asked" JSON,
  "pin" JSONB NOT NULL,
  "hold_nano" BIGINT NOT NULL,
  "keep_history" BOOLEAN NOT NULL,
  "own_ms" DOUBLE PRECISION NOT NULL,
  "owner" TEXT,
  "turn" INTEGER NOT NULL DEFAULT 0,
  "due_at" TIMESTAMPTZ(3) NOT NULL,
  "slot_at" TIMESTAMPTZ(3),
  "submits" INTEGER NOT NULL DEFAULT 0,
  "submitting" TEXT,
  "deployment_id" TEXT,
  "operation" JSON,
  "stop_vendor" BOOLEAN NOT NULL DEFAULT false,
  "failing_since" TIMESTAMPTZ(3),
  "failures" INTEGER NOT NULL DEFAULT 0,
  "trace" JSON NOT NULL DEFAULT '[]',
  "url" TEXT,
  "error" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "submitted_at" TIMESTAMPTZ(3),
  "finished_at" TIMESTAMPTZ(3),
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "task_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "task_state" CHECK ("state" IN ('pending', 'processing', 'completed', 'failed')),
  CONSTRAINT "task_end" CHECK (("state" IN ('completed', 'failed')) = ("finished_at" IS NOT NULL)
    AND ("state" <> 'completed' OR "url" IS NOT NULL)),
  CONSTRAINT "task_hold" CHECK ("hold_nano" >= 0)
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX "task_request_id_key" ON "task"("request_id");
CREATE INDEX "task_finished_at_due_at_idx" ON "task"("finished_at", "due_at");
CREATE INDEX "task_stop_vendor_idx" ON "task"("stop_vendor");

-- A lease belongs to a process or to a task.
ALTER TABLE "lease" ALTER COLUMN "owner" DROP NOT NULL;
ALTER TABLE "lease" ADD COLUMN "task_id" TEXT;
ALTER TABLE "lease" ADD CONSTRAINT "lease_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "lease" ADD CONSTRAINT "lease_holder" CHECK (("owner" IS NULL) <> ("task_id" IS NULL));
CREATE INDEX "lease_task_id_idx" ON "lease"("task_id");

-- The states of a task move only forward: whatever a process that was taken for dead still wants to write.
CREATE FUNCTION task_moves_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state IN ('completed', 'failed') AND NEW.state <> OLD.state
     OR OLD.state = 'processing' AND NEW.state = 'pending' THEN
    RAISE EXCEPTION 'task % cannot go from % to %', OLD.id, OLD.state, NEW.state;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER task_forward BEFORE UPDATE OF state ON task FOR EACH ROW EXECUTE FUNCTION task_moves_forward();

-- Moves what a request holds in its process over to its task: out of the process's leases what is there (all of it,
-- unless they were swept meanwhile), the rest out of free money. Answers the purse that lacks it: then the caller
-- rolls back. Purses and leases come in the same order.
CREATE FUNCTION hold_for_task(p_task text, p_purses text[], p_leases text[], p_amount bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  moved bigint;
  free bigint;
BEGIN
  PERFORM 1 FROM purse WHERE id = ANY (p_purses) ORDER BY id FOR UPDATE;
  FOR i IN 1 .. cardinality(p_purses) LOOP
    UPDATE lease l SET amount = l.amount - LEAST(l.amount, p_amount)
      FROM (SELECT o.id, LEAST(o.amount, p_amount) AS taken FROM lease o WHERE o.id = p_leases[i] FOR UPDATE) AS was
     WHERE l.id = was.id RETURNING was.taken INTO moved;
    moved := COALESCE(moved, 0);
    IF moved < p_amount THEN
      SELECT credit - spent - leased INTO free FROM purse WHERE id = p_purses[i];
      IF free IS NULL OR free < p_amount - moved THEN RETURN p_purses[i]; END IF;
      UPDATE purse SET leased = leased + (p_amount - moved) WHERE id = p_purses[i];
    END IF;
    INSERT INTO lease (id, task_id, purse_id, amount, seq, granted)
    VALUES (p_task || '/' || p_purses[i], p_task, p_purses[i], p_amount, 0, p_amount);
  END LOOP;
  RETURN NULL;
END $$;

-- Frees what a task still holds, after settle() took what it costs. Whoever waits for money is told.
CREATE FUNCTION release_task(p_task text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  freed text;
BEGIN
  PERFORM 1 FROM purse WHERE id IN (SELECT purse_id FROM lease WHERE task_id = p_task) ORDER BY id FOR UPDATE;
  FOR freed IN
    UPDATE purse p SET leased = p.leased - l.amount FROM lease l WHERE l.task_id = p_task AND p.id = l.purse_id
    RETURNING CASE WHEN recall_in_force(p.recall_wanted_at) THEN p.id END
  LOOP
    IF freed IS NOT NULL THEN PERFORM pg_notify('tollgate_returned', freed); END IF;
  END LOOP;
  DELETE FROM lease WHERE task_id = p_task;
END $$;

-- When the next poll of any process may go out: one row for all of them, so that the vendors of this database are
-- asked no more often than that, however many tasks are under way and however many came due at once.
CREATE TABLE "task_pace" (
  "id" TEXT NOT NULL,
  "next_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "task_pace_pkey" PRIMARY KEY ("id")
) WITH (fillfactor = 50);
INSERT INTO "task_pace" VALUES ('polls', now());

-- Takes the next free place among the polls and answers in how many milliseconds it is: below 0 where it is now.
CREATE FUNCTION take_poll(p_per_second float8) RETURNS float8 LANGUAGE sql AS $$
  UPDATE task_pace SET next_at = GREATEST(next_at, clock_timestamp()) + interval '1 second' / p_per_second
   WHERE id = 'polls'
  RETURNING 1000 * (EXTRACT(epoch FROM next_at - clock_timestamp())::float8 - 1 / p_per_second)
$$;

CREATE FUNCTION milliseconds_since(p_at timestamptz) RETURNS float8 LANGUAGE sql STABLE AS
$$ SELECT COALESCE(1000 * EXTRACT(epoch FROM clock_timestamp() - p_at), 0)::float8 $$;

-- What tasks hold is not idle money of another process: nobody waits for it, and nobody is asked to give it back.
CREATE OR REPLACE FUNCTION lease_grow(p_owner text, p_purse text, p_account text, p_key text, p_limit bigint, p_month timestamptz,
                           p_seq bigint, p_need bigint, p_want bigint, p_since timestamptz)
RETURNS TABLE (granted bigint, balance_nano bigint, elsewhere boolean, unheard boolean, asked_at timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  p purse;
  l lease;
  free bigint;
  amount bigint := 0;
  lent boolean;
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
  lent := p.leased > COALESCE(l.amount, 0)
    AND EXISTS (SELECT 1 FROM lease o WHERE o.purse_id = p_purse AND o.id <> lease_key AND o.owner IS NOT NULL AND o.amount > 0);

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
    ELSIF lent THEN
      UPDATE purse SET recall_wanted_at = clock_timestamp() WHERE purse.id = p_purse;
      PERFORM pg_notify('tollgate_recall', p_purse);
    END IF;
    INSERT INTO lease (id, owner, purse_id, amount, seq, granted)
    VALUES (lease_key, p_owner, p_purse, amount, p_seq, amount)
    ON CONFLICT (id) DO UPDATE SET amount = lease.amount + excluded.amount, seq = excluded.seq, granted = excluded.granted;
  END IF;

  RETURN QUERY
  SELECT amount, p.credit - p.spent, lent,
         EXISTS (SELECT 1 FROM lease o WHERE o.purse_id = p_purse AND o.id <> lease_key AND o.owner IS NOT NULL AND o.amount > 0
                    AND o.acked_at < COALESCE(p_since, clock_timestamp())),
         clock_timestamp();
END $$;
