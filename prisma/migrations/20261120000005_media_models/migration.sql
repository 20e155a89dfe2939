-- What a model of images, audio, video or embeddings takes: sizes, voices, dimensions and the like.
ALTER TABLE model ADD COLUMN facts jsonb NOT NULL DEFAULT '{}';
