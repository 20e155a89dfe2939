-- Payments that no event has ended are looked up every minute.
CREATE INDEX "payment_waiting" ON "payment" ("created_at") WHERE "state" IN ('open', 'processing');
