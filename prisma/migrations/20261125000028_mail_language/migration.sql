-- Mails are written in the language in which their reader last used the console.
ALTER TABLE "app_user" ADD COLUMN "locale" TEXT NOT NULL DEFAULT 'en' CHECK (locale IN ('en', 'zh'));
