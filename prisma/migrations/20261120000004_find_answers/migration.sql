-- undo_voided() looks for the answers of requests: without this, each void read every answer of its account, while the
-- account's purse was locked.
CREATE INDEX "idempotency_account_id_request_id_idx" ON "idempotency"("account_id", "request_id");
