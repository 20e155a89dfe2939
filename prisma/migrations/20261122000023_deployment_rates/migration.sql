-- What a vendor's account may take of a deployment in a minute: calls, and tokens in and out. NULL is no limit.
ALTER TABLE "deployment" ADD COLUMN "requests_per_minute" INTEGER;
ALTER TABLE "deployment" ADD COLUMN "tokens_per_minute" INTEGER;
ALTER TABLE "deployment" ADD CONSTRAINT "deployment_rates" CHECK ("requests_per_minute" > 0 AND "tokens_per_minute" > 0);

-- Until when a process found the minute of a deployment full: operators see it.
ALTER TABLE "deployment_health" ADD COLUMN "full_until" TIMESTAMPTZ(3);
