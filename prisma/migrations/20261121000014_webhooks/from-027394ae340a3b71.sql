-- For databases to which this migration was applied while it had another text.
-- A migration of its own, 20261121000017_tell_safely, made the difference; it is part of this one now.
DELETE FROM "_prisma_migrations" WHERE "migration_name" = '20261121000017_tell_safely';
