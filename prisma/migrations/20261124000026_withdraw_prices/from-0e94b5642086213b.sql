-- For databases to which this migration was applied while it had another text.
CREATE FUNCTION price_holds(starts_at TIMESTAMPTZ) RETURNS boolean LANGUAGE sql VOLATILE AS
$$ SELECT starts_at <= clock_timestamp() + interval '10 seconds'
     + COALESCE((SELECT max(life_ms) FROM process), 0) * interval '0.5 milliseconds' $$;

CREATE OR REPLACE FUNCTION refuse_price_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
  IF TG_OP = 'DELETE' AND NOT price_holds(OLD.starts_at) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
