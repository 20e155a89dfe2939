-- What a vendor's account may take of a deployment in a minute: calls, and tokens in and out. NULL is no limit.
ALTER TABLE "deployment" ADD COLUMN "requests_per_minute" INTEGER;
ALTER TABLE "deployment" ADD COLUMN "tokens_per_minute" INTEGER;
ALTER TABLE "deployment" ADD CONSTRAINT "deployment_rates" CHECK ("requests_per_minute" > 0 AND "tokens_per_minute" > 0);
