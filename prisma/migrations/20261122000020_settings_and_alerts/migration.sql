-- What operators set while gateways run. A row stays when the environment's value holds again (`set` is false), so that
-- its version goes on counting.
CREATE TABLE "setting" (
  "name" TEXT NOT NULL,
  "value" JSONB,
  "set" BOOLEAN NOT NULL,
  "version" INTEGER NOT NULL,
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "changed_by" TEXT NOT NULL,
  CONSTRAINT "setting_pkey" PRIMARY KEY ("name")
);
