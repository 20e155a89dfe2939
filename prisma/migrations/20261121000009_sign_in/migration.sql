-- Whoever signs in through GitHub or Google has no password until they set one.
ALTER TABLE "app_user" ALTER COLUMN "password_hash" DROP NOT NULL;
-- When the address was proved to be its user's.
ALTER TABLE "app_user" ADD COLUMN "email_verified_at" TIMESTAMPTZ(3);
-- The operator of the first start has an address that no mail goes to, and no other way in.
UPDATE "app_user" SET "email_verified_at" = "created_at" WHERE "email" = 'operator@localhost.localdomain';

-- One row a session; a token without its row is none.
CREATE TABLE "user_session" (
  "id" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "address" TEXT NOT NULL,
  "browser" TEXT NOT NULL,
  "system" TEXT NOT NULL,
  CONSTRAINT "user_session_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "user_session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "user_session_user_id_idx" ON "user_session"("user_id");

-- Tokens that were mailed or handed on, each good once. The token itself is kept nowhere.
CREATE TABLE "one_time_token" (
  "hash" BYTEA NOT NULL,
  "kind" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "email" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "one_time_token_pkey" PRIMARY KEY ("hash"),
  CONSTRAINT "one_time_token_kind" CHECK ("kind" IN ('verify', 'email', 'reset', 'second_step')),
  CONSTRAINT "one_time_token_email_lower" CHECK ("email" = lower("email")),
  CONSTRAINT "one_time_token_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "one_time_token_user_id_kind_idx" ON "one_time_token"("user_id", "kind");

-- Who somebody is to GitHub or Google.
CREATE TABLE "identity" (
  "provider" TEXT NOT NULL,
  "provider_account_id" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "identity_pkey" PRIMARY KEY ("provider", "provider_account_id"),
  CONSTRAINT "identity_provider" CHECK ("provider" IN ('github', 'google')),
  CONSTRAINT "identity_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "identity_user_id_idx" ON "identity"("user_id");

-- The codes of an authenticator app. `last_step` is the half minute of the newest code that was taken: none at or before it
-- is taken again.
CREATE TABLE "second_step" (
  "user_id" TEXT NOT NULL,
  "secret_sealed" BYTEA NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "confirmed_at" TIMESTAMPTZ(3),
  "last_step" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "second_step_pkey" PRIMARY KEY ("user_id"),
  CONSTRAINT "second_step_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- Codes for who has lost the app, each good once: a row that is used is gone.
CREATE TABLE "recovery_code" (
  "user_id" TEXT NOT NULL,
  "code_hmac" BYTEA NOT NULL,
  CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("user_id", "code_hmac"),
  CONSTRAINT "recovery_code_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
