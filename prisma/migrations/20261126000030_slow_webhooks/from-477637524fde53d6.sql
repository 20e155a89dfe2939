-- For databases to which this migration was applied while it had another text.
CREATE OR REPLACE FUNCTION enqueue_webhook(delivery text, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  slow boolean;
BEGIN
  slow := EXISTS (SELECT 1 FROM webhook_delivery d JOIN webhook_endpoint e ON e.id = d.endpoint_id
                   WHERE d.id = delivery AND e.slow_until > clock_timestamp());
  PERFORM graphile_worker.add_job(CASE WHEN slow THEN 'webhook_slow' ELSE 'webhook' END, json_build_object('id', delivery),
                                  run_at := at, job_key := delivery, max_attempts := 20);
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'the webhook delivery % has no job yet: %', delivery, SQLERRM;
END $$;
