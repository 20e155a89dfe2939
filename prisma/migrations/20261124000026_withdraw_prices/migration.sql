-- A version of a price that has not begun was never charged by, and may be withdrawn: so long before it begins that no
-- gateway charges by a price that is not here. One that is in touch hears of a withdrawal within a second; one that is not admits
-- nothing any more half its life after its last beat.
CREATE FUNCTION price_holds(starts_at TIMESTAMPTZ) RETURNS boolean LANGUAGE sql VOLATILE AS
$$ SELECT starts_at <= clock_timestamp() + interval '10 seconds'
     + COALESCE((SELECT max(life_ms) FROM process), 0) * interval '0.5 milliseconds' $$;

CREATE FUNCTION refuse_price_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
  IF TG_OP = 'DELETE' AND NOT price_holds(OLD.starts_at) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
DROP TRIGGER price_append_only ON price;
CREATE TRIGGER price_append_only BEFORE UPDATE OR DELETE ON price FOR EACH ROW EXECUTE FUNCTION refuse_price_change();
