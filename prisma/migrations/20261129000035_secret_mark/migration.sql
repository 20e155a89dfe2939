-- Which SECRET_KEY the gateways of this database have. API keys and codes are stored as its HMACs, from which nobody can tell.
CREATE TABLE "secret_mark" (
  "only" BOOLEAN PRIMARY KEY DEFAULT true CHECK ("only"),
  "mark" BYTEA NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);
