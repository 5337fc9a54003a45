-- What every act of a member has in common. Locks are taken in one order everywhere: the member, then shops by
-- id, then reviews and favorites. The member's lock lets acts of one member follow each other, so that titles,
-- limits and repeated requests see what the act before has done, and none outlives a withdrawal.

CREATE OR REPLACE FUNCTION begin_act(member bigint, session bigint) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM FROM members m WHERE m.id = member FOR NO KEY UPDATE;
  RETURN session_is_live(session, member);
END $$;
COMMENT ON FUNCTION begin_act(bigint, bigint) IS 'Locks the member for one act; false when the session is not alive.';

-- Its foreign key does not lock the shop before the commit; a merge would leave behind what is written meanwhile. Apps
-- and open pages know a merged shop for long: what they write belongs where its reviews and favorites have gone.
CREATE OR REPLACE FUNCTION begin_act_on(shop bigint) RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  into_id bigint := shop;
BEGIN
  WHILE into_id IS NOT NULL LOOP
    shop := into_id;
    -- below zero: other advisory locks of the project are above
    PERFORM pg_advisory_xact_lock_shared(-shop);
    SELECT s.merged_into_id INTO into_id FROM shops s WHERE s.id = shop;
  END LOOP;
  RETURN shop;
END $$;
COMMENT ON FUNCTION begin_act_on(bigint)
IS 'The shop that an act is on, which is the one that the given one was merged into; keeps it from being merged before the act is committed.';

CREATE OR REPLACE FUNCTION remembered_answer(
  member bigint, act_key text, act_hash bytea,
  OUT refusal text, OUT status integer, OUT body text, OUT location text
)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  SELECT CASE WHEN k.request_hash <> act_hash THEN 'key_reused' END, k.status, k.body, k.location
  INTO refusal, status, body, location
  FROM idempotency_keys k WHERE k.member_id = member AND k.key = act_key;
END $$;
COMMENT ON FUNCTION remembered_answer(bigint, text, bytea)
IS 'The stored answer of an earlier request with this Idempotency-Key; refusal key_reused when that one was another request.';

-- Planning all rules takes longer than working them out, hence one plan a connection.
CREATE OR REPLACE FUNCTION award_titles(member bigint, act text, moment timestamptz, zone text) RETURNS bigint []
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  open bigint[] := ARRAY(
    SELECT t.id FROM titles t
    WHERE (act IS NULL OR t.earned_by = act
        OR (act = 'repeated review' AND t.earned_by = 'review' AND NOT rests_on_shops(t.id)))
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
IS 'Gives the member every title earned but not held, of one act (sign-in, review, favorite; repeated review for a change or another review of the same shop) or of all (null); returns the new ones.';
