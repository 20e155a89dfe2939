-- A version of a price that has not begun was never charged by, and may be withdrawn. In its last ten seconds it counts as
-- begun: by then every gateway has heard of a withdrawal, and none charges by a price that is not here.
CREATE FUNCTION refuse_price_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
  IF TG_OP = 'DELETE' AND OLD.starts_at > clock_timestamp() + interval '10 seconds' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
DROP TRIGGER price_append_only ON price;
CREATE TRIGGER price_append_only BEFORE UPDATE OR DELETE ON price FOR EACH ROW EXECUTE FUNCTION refuse_price_change();
