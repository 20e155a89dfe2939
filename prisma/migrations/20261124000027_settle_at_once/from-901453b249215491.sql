-- For databases to which this migration was applied while it had another text.
ALTER FUNCTION make_partitions(timestamptz) SET lock_timeout = '3s';
