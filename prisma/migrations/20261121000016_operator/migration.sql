-- What an operator sets beyond the first start. A version counts the changes of a row, so that of two
-- people who edit it at once the second is told. What is archived is out of use and kept: usage refers to it.
ALTER TABLE "connection" ADD COLUMN "headers_sealed" BYTEA;
ALTER TABLE "connection" ADD COLUMN "proxy_sealed" BYTEA;
ALTER TABLE "connection" ADD COLUMN "concurrency" INTEGER;
ALTER TABLE "connection" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "connection" ADD COLUMN "archived_at" TIMESTAMPTZ(3);
ALTER TABLE "connection" ADD CONSTRAINT "connection_bounds" CHECK (
  "concurrency" > 0 AND "connect_timeout_ms" > 0 AND "headers_timeout_ms" > 0 AND "idle_timeout_ms" > 0);

ALTER TABLE "model" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "model" ADD COLUMN "archived_at" TIMESTAMPTZ(3);

ALTER TABLE "deployment" ADD COLUMN "concurrency" INTEGER;
ALTER TABLE "deployment" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "deployment" ADD COLUMN "archived_at" TIMESTAMPTZ(3);
ALTER TABLE "deployment" ADD CONSTRAINT "deployment_bounds" CHECK ("concurrency" > 0);

ALTER TABLE "model_group" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "model_group" ADD COLUMN "archived_at" TIMESTAMPTZ(3);
-- Who may choose it: all, or the accounts of group_account.
ALTER TABLE "model_group" ADD COLUMN "open" BOOLEAN NOT NULL DEFAULT true;
CREATE UNIQUE INDEX "model_group_one_default" ON "model_group"("is_default") WHERE "is_default";
CREATE TABLE "group_account" (
  "group_id" TEXT NOT NULL,
  "account_id" TEXT NOT NULL,
  CONSTRAINT "group_account_pkey" PRIMARY KEY ("group_id", "account_id"),
  CONSTRAINT "group_account_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "model_group"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "group_account_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "group_account_account_id_idx" ON "group_account"("account_id");

-- Who changed what, and when. Secrets are never in it. Append-only.
CREATE TABLE "audit_log" (
  "id" TEXT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "actor_id" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "verb" TEXT NOT NULL,
  "target" TEXT NOT NULL,
  "target_id" TEXT NOT NULL,
  "before" JSONB,
  "after" JSONB,
  CONSTRAINT "audit_log_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "audit_log_target_target_id_id_idx" ON "audit_log"("target", "target_id", "id" DESC);
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- How the breaker of a deployment stands in a process; a row that has none was never other than well.
CREATE TABLE "deployment_health" (
  "deployment_id" TEXT NOT NULL,
  "process_id" TEXT NOT NULL,
  "state" TEXT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "deployment_health_pkey" PRIMARY KEY ("deployment_id", "process_id"),
  CONSTRAINT "deployment_health_state" CHECK ("state" IN ('open', 'half_open', 'closed'))
);
