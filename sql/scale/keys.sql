-- Stage 2, first step: keys that hold the column by which their table will be distributed. Plain PostgreSQL, on
-- which the service runs unchanged afterwards; it can be repeated. Second step: distribute.sql, on Citus.
--   psql -1 -v ON_ERROR_STOP=1 -f sql/scale/keys.sql "$(geoshops db url)"

-- Constraints that point at a key to be replaced, or from one group of nodes to another, can stay on no
-- distributed engine. What they forbade is looked for by check.sql from now on; what they did, deleting the
-- reports of a deleted review, the service's functions do themselves.
DO $$
DECLARE
  statement text;
BEGIN
  FOR statement IN
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname)
    FROM pg_constraint k
    WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace AND (
      k.confrelid IN ('reviews'::regclass, 'favorites'::regclass, 'sessions'::regclass)
      OR (k.confrelid = 'members'::regclass AND k.conrelid NOT IN (
        'sessions'::regclass, 'favorites'::regclass, 'member_titles'::regclass, 'idempotency_keys'::regclass))
    )
    ORDER BY 1
  LOOP
    RAISE NOTICE '%', statement;
    EXECUTE statement;
  END LOOP;
END $$;

-- Ids come from one sequence each, so that the wider keys admit no row that the narrow ones rejected. What is
-- looked up by id alone keeps an index of its own.
ALTER TABLE reviews DROP CONSTRAINT reviews_pkey, ADD CONSTRAINT reviews_pkey PRIMARY KEY (shop_id, id);
CREATE INDEX IF NOT EXISTS reviews_id_idx ON reviews (id);
ALTER TABLE sessions DROP CONSTRAINT sessions_pkey, ADD CONSTRAINT sessions_pkey PRIMARY KEY (member_id, id);
CREATE INDEX IF NOT EXISTS sessions_id_idx ON sessions (id);
ALTER TABLE favorites DROP CONSTRAINT favorites_pkey, ADD CONSTRAINT favorites_pkey PRIMARY KEY (member_id, id);

-- Identities lie by subject, because that is what a sign-in knows: their key (issuer, subject) stays. One identity
-- a member is kept by withdrawal and sign-in, which write both in one transaction.
ALTER TABLE member_identities DROP CONSTRAINT IF EXISTS member_identities_member_unique;
CREATE INDEX IF NOT EXISTS member_identities_member_id_idx ON member_identities (member_id);
