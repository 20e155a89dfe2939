-- Answers of POST /v1/responses that can be looked up and continued. `bytes` is the size of `body` before it was compressed.
CREATE TABLE "stored_response" (
  "id" TEXT NOT NULL,
  "account_id" TEXT NOT NULL,
  "previous_id" TEXT,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "bytes" INTEGER NOT NULL,
  "body" BYTEA NOT NULL,
  CONSTRAINT "stored_response_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "stored_response_previous_id_idx" ON "stored_response" ("previous_id");
CREATE INDEX "stored_response_expires_at_idx" ON "stored_response" ("expires_at");
