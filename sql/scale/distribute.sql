-- Stage 2, second step: distributes the tables on Citus 13 (PostgreSQL 15 to 17), after keys.sql. Shops and all other
-- reference data stand on every node, reviews lie by shop, what members own lies by member. docs/scaling.md
-- says what of this was run and what was not, and from which size on it pays.
--   psql -v ON_ERROR_STOP=1 -f sql/scale/distribute.sql "$(geoshops db url)"
-- Not in one transaction: every step looks first whether it was done, so that it can be run again.

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    RAISE EXCEPTION 'this database has no Citus: CREATE EXTENSION citus, and citus_add_node for the workers';
  END IF;
  IF (SELECT array_length(conkey, 1) FROM pg_constraint WHERE conname = 'reviews_pkey') <> 2 THEN
    RAISE EXCEPTION 'run keys.sql first: reviews_pkey does not hold shop_id';
  END IF;
END $$;

-- Nicknames are unique over all nodes by a table of their own, distributed by the nickname.
CREATE TABLE IF NOT EXISTS member_nicknames (
  nickname_key text NOT NULL,
  member_id bigint NOT NULL,
  CONSTRAINT member_nicknames_pkey PRIMARY KEY (nickname_key)
);
COMMENT ON TABLE member_nicknames IS 'Who holds a nickname; a claim is a row inserted here first';
COMMENT ON COLUMN member_nicknames.nickname_key IS 'Form under which nicknames are unique';
COMMENT ON COLUMN member_nicknames.member_id IS 'Member who holds it';
INSERT INTO member_nicknames (nickname_key, member_id)
SELECT m.nickname_key, m.id FROM members AS m WHERE m.nickname_key IS NOT NULL
ON CONFLICT (nickname_key) DO NOTHING;
ALTER TABLE members DROP CONSTRAINT IF EXISTS members_nickname_key_unique;

-- A table with an identity and a foreign key cannot be distributed: the foreign keys go first and come back last.
CREATE TABLE IF NOT EXISTS scale_foreign_keys (
  name text NOT NULL,
  table_name text NOT NULL,
  definition text NOT NULL,
  CONSTRAINT scale_foreign_keys_pkey PRIMARY KEY (table_name, name)
);
COMMENT ON TABLE scale_foreign_keys IS 'Foreign keys while tables are being distributed; empty afterwards';
COMMENT ON COLUMN scale_foreign_keys.name IS 'Name of the constraint';
COMMENT ON COLUMN scale_foreign_keys.table_name IS 'Table that it belongs to';
COMMENT ON COLUMN scale_foreign_keys.definition IS 'Its definition';
INSERT INTO scale_foreign_keys (name, table_name, definition)
SELECT k.conname, k.conrelid::regclass::text, pg_get_constraintdef(k.oid)
FROM pg_constraint AS k
WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace AND k.conparentid = 0
ON CONFLICT DO NOTHING;
DO $$
DECLARE
  k record;
BEGIN
  FOR k IN SELECT f.table_name, f.name FROM scale_foreign_keys f LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I', k.table_name, k.name);
  END LOOP;
END $$;

-- Reference tables: everything of ours that is not distributed below.
DO $$
DECLARE
  table_name regclass;
BEGIN
  FOR table_name IN
    SELECT c.oid::regclass FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
      AND c.relname NOT IN (
        'reviews', 'shop_stats', 'members', 'sessions', 'favorites', 'member_titles', 'idempotency_keys',
        'member_identities', 'member_nicknames', 'scale_foreign_keys', 'schema_history')
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
      AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)
    ORDER BY c.relname
  LOOP
    PERFORM create_reference_table(table_name);
  END LOOP;
END $$;

-- Where the rows lie. `geoshops db check --citus` reads the plan from these lines.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'reviews'::regclass) THEN
    PERFORM create_distributed_table('reviews', 'shop_id');
    PERFORM create_distributed_table('shop_stats', 'shop_id', colocate_with => 'reviews');
  END IF;
  IF NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'members'::regclass) THEN
    PERFORM create_distributed_table('members', 'id');
    PERFORM create_distributed_table('sessions', 'member_id', colocate_with => 'members');
    PERFORM create_distributed_table('favorites', 'member_id', colocate_with => 'members');
    PERFORM create_distributed_table('member_titles', 'member_id', colocate_with => 'members');
    PERFORM create_distributed_table('idempotency_keys', 'member_id', colocate_with => 'members');
  END IF;
  IF NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'member_identities'::regclass) THEN
    PERFORM create_distributed_table('member_identities', 'subject');
    PERFORM create_distributed_table('member_nicknames', 'nickname_key');
  END IF;
END $$;

-- The foreign keys that are legal there: to reference tables, and within the group of a member.
DO $$
DECLARE
  k record;
BEGIN
  FOR k IN SELECT f.table_name, f.name, f.definition FROM scale_foreign_keys f ORDER BY f.table_name, f.name LOOP
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', k.table_name, k.name, k.definition);
    DELETE FROM scale_foreign_keys f WHERE f.table_name = k.table_name AND f.name = k.name;
  END LOOP;
END $$;
DROP TABLE scale_foreign_keys;
