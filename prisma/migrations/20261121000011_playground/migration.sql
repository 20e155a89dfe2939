-- What a key is for. A `playground` key is made by the console for one session of one user: it is no key that
-- somebody keeps, so it is neither listed nor counted among them, and it ends with the session that asked for it.
ALTER TABLE "api_key"
  ADD COLUMN "purpose" TEXT NOT NULL DEFAULT 'api',
  ADD COLUMN "user_id" TEXT,
  ADD COLUMN "session_epoch" INTEGER,
  ADD CONSTRAINT "api_key_purpose" CHECK ("purpose" IN ('api', 'playground')),
  ADD CONSTRAINT "api_key_playground" CHECK (
    "purpose" <> 'playground' OR ("user_id" IS NOT NULL AND "session_epoch" IS NOT NULL AND "expires_at" IS NOT NULL)
  );
