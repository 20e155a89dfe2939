-- Operators read accounts by key, newest first, whatever the state or role they ask for, and find them by the beginning of
-- an address or a name. In the collation "C" texts are in the order of their bytes, which is the one that LIKE 'x%' can use.
CREATE INDEX "account_active_idx" ON "account"("id") WHERE "suspended_at" IS NULL;
CREATE INDEX "account_suspended_idx" ON "account"("id") WHERE "suspended_at" IS NOT NULL AND "closed_at" IS NULL;
CREATE INDEX "account_closed_idx" ON "account"("id") WHERE "closed_at" IS NOT NULL;
CREATE INDEX "account_name_idx" ON "account"((lower("name") COLLATE "C"), "id");
CREATE INDEX "app_user_role_account_id_idx" ON "app_user"("role", "account_id");
CREATE INDEX "app_user_email_idx" ON "app_user"((lower("email") COLLATE "C"), "account_id");
CREATE INDEX "app_user_name_idx" ON "app_user"((lower("name") COLLATE "C"), "account_id");
CREATE INDEX "api_key_hint_idx" ON "api_key"("hint");

-- Codes that are minted in the console: with what token, and the how manieth of it, so that a repeat mints none. One that was
-- withdrawn is good no more.
ALTER TABLE "redemption_code" ADD COLUMN "mint_token" TEXT;
ALTER TABLE "redemption_code" ADD COLUMN "mint_place" INTEGER;
ALTER TABLE "redemption_code" ADD COLUMN "withdrawn_at" TIMESTAMPTZ(3);
ALTER TABLE "redemption_code" ADD CONSTRAINT "redemption_code_withdrawn" CHECK ("withdrawn_at" IS NULL OR "redeemed_at" IS NULL);
CREATE UNIQUE INDEX "redemption_code_mint_token_mint_place_key" ON "redemption_code"("mint_token", "mint_place");
CREATE INDEX "redemption_code_open_idx" ON "redemption_code"("id") WHERE "redeemed_at" IS NULL AND "withdrawn_at" IS NULL;
CREATE INDEX "redemption_code_redeemed_idx" ON "redemption_code"("id") WHERE "redeemed_at" IS NOT NULL;
CREATE INDEX "redemption_code_withdrawn_idx" ON "redemption_code"("id") WHERE "withdrawn_at" IS NOT NULL;
