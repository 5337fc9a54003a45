-- Functions shared by all commands of members. Locks are always taken in one order: the member, then shops by id, then
-- reviews and favorites. The member's lock serialises the commands of one member, so that titles, limits and repeated
-- requests see the effects of the previous command, and no command commits after a withdrawal.
--
-- A command function returns `outcome` and, unless it failed, `body`, the written row as JSON. A failed command changes
-- nothing. geoshops/web/writes.py maps outcomes to HTTP.

CREATE OR REPLACE FUNCTION begin_command(member bigint, session bigint) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM FROM members m WHERE m.id = member FOR NO KEY UPDATE;
  RETURN session_is_live(session, member);
END $$;
COMMENT ON FUNCTION begin_command(bigint, bigint) IS 'Locks the member for one command; false if the session has ended.';

-- The deferred foreign key locks the shop only at commit; without this lock, a concurrent merge would miss rows written
-- meanwhile. Apps and open pages may still use the id of a merged shop; their writes go to the shop into which it was merged.
CREATE OR REPLACE FUNCTION begin_command_on(shop bigint) RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  into_id bigint := shop;
BEGIN
  WHILE into_id IS NOT NULL LOOP
    shop := into_id;
    -- negative keys, because other advisory locks of the project have positive ones
    PERFORM pg_advisory_xact_lock_shared(-shop);
    SELECT s.merged_into_id INTO into_id FROM shops s WHERE s.id = shop;
  END LOOP;
  RETURN shop;
END $$;
COMMENT ON FUNCTION begin_command_on(bigint)
IS 'The shop, or the one into which it was merged; it cannot be merged until the command commits.';

CREATE OR REPLACE FUNCTION stored_result(
  member bigint, key text, request_hash bytea, OUT outcome text, OUT body text, OUT item_id bigint
)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  SELECT CASE WHEN k.request_hash = stored_result.request_hash THEN k.outcome ELSE 'key_reused' END, k.body, k.item_id
  INTO outcome, body, item_id
  FROM idempotency_keys k WHERE k.member_id = member AND k.key = stored_result.key;
END $$;
COMMENT ON FUNCTION stored_result(bigint, text, bytea)
IS 'The result of an earlier request with this Idempotency-Key, nulls if there was none; key_reused if that request differed.';

CREATE OR REPLACE FUNCTION store_result(
  member bigint, key text, request_hash bytea, outcome text, body text, item_id bigint, moment timestamptz
) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF key IS NOT NULL THEN
    INSERT INTO idempotency_keys (member_id, key, request_hash, outcome, body, item_id, created_at)
    VALUES (member, store_result.key, store_result.request_hash, store_result.outcome, store_result.body, store_result.item_id, moment);
  END IF;
END $$;
COMMENT ON FUNCTION store_result(bigint, text, bytea, text, text, bigint, timestamptz)
IS 'Stores the result of a request for later ones with its Idempotency-Key, unless the key is null.';

CREATE OR REPLACE FUNCTION begin_creation(
  member bigint, session bigint, key text, request_hash bytea,
  OUT outcome text, OUT body text, OUT item_id bigint, OUT replayed boolean
)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF NOT begin_command(member, session) THEN
    outcome := 'session_ended';
  ELSIF key IS NOT NULL THEN
    SELECT * INTO outcome, body, item_id FROM stored_result(member, key, request_hash);
    replayed := outcome IS NOT NULL;
  END IF;
END $$;
COMMENT ON FUNCTION begin_creation(bigint, bigint, text, bytea)
IS 'Begins a command that creates something: session_ended, or the stored result of an earlier request (replayed); with a null outcome, the command continues.';

-- Uses a generic plan, because planning all rules takes longer than evaluating them.
CREATE OR REPLACE FUNCTION award_titles(member bigint, activity text, moment timestamptz, zone text) RETURNS bigint []
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  open bigint[] := ARRAY(
    SELECT t.id FROM titles t
    WHERE (activity IS NULL OR t.earned_by = activity
        OR (activity = 'repeated review' AND t.earned_by = 'review' AND NOT rests_on_shops(t.id)))
      AND NOT EXISTS (SELECT FROM member_titles h WHERE h.member_id = member AND h.title_id = t.id));
  awarded bigint[];
BEGIN
  IF cardinality(open) = 0 THEN
    RETURN open;
  END IF;
  WITH news AS (
    INSERT INTO member_titles (member_id, title_id, awarded_at)
    SELECT p.member_id, p.title_id, moment
    FROM title_progress_in(zone) p
    WHERE p.member_id = member AND p.title_id = ANY (open) AND p.current >= p.target
    ON CONFLICT DO NOTHING
    RETURNING title_id
  )
  SELECT coalesce(array_agg(n.title_id ORDER BY n.title_id), '{}') INTO awarded FROM news n;
  RETURN awarded;
END $$;
COMMENT ON FUNCTION award_titles(bigint, text, timestamptz, text)
IS 'Awards the member every title that is earned but not held: titles of one activity (sign-in, review, favorite; repeated review for a change or another review of the same shop) or of all (null); returns the new ones.';
