-- For databases to which this migration was applied while it had another text.
CREATE FUNCTION server_timeline() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  server text := (SELECT s.system_identifier FROM pg_control_system() s);
BEGIN
  BEGIN
    RETURN server || '/' || ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int;
  EXCEPTION WHEN OTHERS THEN
    RETURN server || '/' || (SELECT c.timeline_id FROM pg_control_checkpoint() c);
  END;
EXCEPTION WHEN OTHERS THEN
  RETURN 'unknown';
END $$;

CREATE OR REPLACE FUNCTION process_beat(p_id text) RETURNS TABLE (recalled text[], timeline text)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE process SET beat_at = clock_timestamp() WHERE id = p_id;
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY
  SELECT COALESCE((SELECT array_agg(l.purse_id) FROM lease l JOIN purse p ON p.id = l.purse_id
                    WHERE l.owner = p_id AND l.amount > 0 AND recall_in_force(p.recall_wanted_at)), '{}'),
         server_timeline();
END $$;
