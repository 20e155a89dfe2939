-- Whether an event said that the money of a dispute is lost. Its type does not tell: a dispute is closed when it is won, too.
ALTER TABLE "stripe_event" ADD COLUMN "lost" BOOLEAN NOT NULL DEFAULT false;
UPDATE "stripe_event" SET "lost" = true WHERE "type" = 'charge.dispute.funds_withdrawn';
