-- Sessions: the check of every request of a member, and the commands refresh, rotate and end. Locks: member, then session.

-- In PL/pgSQL, which caches its plan.
CREATE OR REPLACE FUNCTION session_is_live(session bigint, member bigint) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM sessions s
    WHERE s.id = session AND s.member_id = member AND s.ended_at IS NULL AND s.expires_at > now());
END $$;
COMMENT ON FUNCTION session_is_live(bigint, bigint) IS 'True while the member''s session is neither ended nor expired.';

CREATE OR REPLACE FUNCTION session_refresh(
  session bigint, member bigint, hash bytea, rotate boolean, successor bytea,
  refresh_days integer, session_days integer, grace_s integer,
  OUT outcome text, OUT refresh_issued_at timestamptz, OUT session_ends_at timestamptz
)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  s sessions;
BEGIN
  SELECT t.* INTO s FROM sessions AS t WHERE t.id = session AND t.member_id = member FOR UPDATE;
  IF NOT FOUND OR s.ended_at IS NOT NULL OR s.expires_at <= now() THEN
    outcome := 'session_ended';
  ELSIF s.refresh_hash = hash AND rotate THEN
    outcome := 'rotated';
    UPDATE sessions AS t
    SET refresh_hash = successor, previous_refresh_hash = hash, rotated_at = now(), last_used_at = now(),
      expires_at = least(s.created_at + make_interval(days => session_days), now() + make_interval(days => refresh_days))
    WHERE t.id = session RETURNING t.* INTO s;
  ELSIF s.refresh_hash = hash THEN
    outcome := 'used';
    UPDATE sessions AS t SET last_used_at = greatest(now(), s.rotated_at + interval '1 microsecond') WHERE t.id = session;
  ELSIF s.previous_refresh_hash = hash AND s.refresh_hash = successor AND s.last_used_at = s.rotated_at
    AND s.rotated_at > now() - make_interval(secs => grace_s) THEN
    -- The response with the successor was lost, and nobody has used the successor yet.
    outcome := 'repeated';
  ELSE
    outcome := 'replayed';
    UPDATE sessions AS t SET ended_at = now() WHERE t.id = session;
  END IF;
  refresh_issued_at := s.rotated_at;
  session_ends_at := s.expires_at;
END $$;
COMMENT ON FUNCTION session_refresh
IS 'Uses a refresh token: used, rotated, repeated (same successor again), replayed (the session is ended now) or session_ended.';

CREATE OR REPLACE FUNCTION session_end(member bigint, session bigint, everywhere boolean) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM FROM members AS m WHERE m.id = member FOR NO KEY UPDATE;
  UPDATE sessions AS s SET ended_at = now()
  WHERE s.id = session AND s.member_id = member AND s.ended_at IS NULL AND s.expires_at > now();
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF everywhere THEN
    UPDATE sessions AS s SET ended_at = now() WHERE s.member_id = member AND s.ended_at IS NULL;
  END IF;
  RETURN true;
END $$;
COMMENT ON FUNCTION session_end(bigint, bigint, boolean)
IS 'Ends the caller''s session, or all of the member''s; false when it had ended already.';

CREATE OR REPLACE FUNCTION session_end_other(
  member bigint, session bigint, other bigint, OUT session_ok boolean, OUT ended boolean
)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  session_ok := begin_command(member, session);
  IF session_ok THEN
    UPDATE sessions AS s SET ended_at = now()
    WHERE s.id = other AND s.member_id = member AND s.ended_at IS NULL AND s.expires_at > now();
    ended := FOUND;
  END IF;
END $$;
COMMENT ON FUNCTION session_end_other
IS 'Ends one of the caller''s sessions; ended is false when the caller has no such live session.';
