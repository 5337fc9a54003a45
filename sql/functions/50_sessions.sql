-- Sessions: the check in every request of a member, and the commands refresh, rotate and end. Lock order: member, session.

CREATE OR REPLACE FUNCTION session_is_live(s sessions) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT s.ended_at IS NULL AND s.expires_at > now() $$;
COMMENT ON FUNCTION session_is_live(sessions) IS 'Whether the session has neither ended nor expired.';

-- PL/pgSQL, because it caches the plan.
CREATE OR REPLACE FUNCTION session_is_live(session bigint, member bigint) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM sessions s WHERE s.id = session AND s.member_id = member AND session_is_live(s));
END $$;
COMMENT ON FUNCTION session_is_live(bigint, bigint)
IS 'Whether the member''s session is live. If not, the outcome of a command is session_ended, and a read returns null.';

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
  IF NOT FOUND OR NOT session_is_live(s) THEN
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
    -- The response with the successor may have been lost, and the successor has not been used.
    outcome := 'repeated';
  ELSE
    outcome := 'replayed';
    UPDATE sessions AS t SET ended_at = now() WHERE t.id = session;
  END IF;
  refresh_issued_at := s.rotated_at;
  session_ends_at := s.expires_at;
END $$;
COMMENT ON FUNCTION session_refresh
IS 'Uses a refresh token: used, rotated, repeated (the same successor again), replayed (which ends the session) or session_ended.';

CREATE OR REPLACE FUNCTION session_end(member bigint, session bigint, everywhere boolean, OUT outcome text)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM FROM members AS m WHERE m.id = member FOR NO KEY UPDATE;
  UPDATE sessions AS s SET ended_at = now()
  WHERE s.id = session AND s.member_id = member AND session_is_live(s);
  outcome := CASE WHEN FOUND THEN 'deleted' ELSE 'session_ended' END;
  IF FOUND AND everywhere THEN
    UPDATE sessions AS s SET ended_at = now() WHERE s.member_id = member AND s.ended_at IS NULL;
  END IF;
END $$;
COMMENT ON FUNCTION session_end(bigint, bigint, boolean)
IS 'Ends the caller''s session, or all sessions of the member: deleted or session_ended.';

CREATE OR REPLACE FUNCTION session_end_other(member bigint, session bigint, other bigint, OUT outcome text)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF NOT begin_command(member, session) THEN
    outcome := 'session_ended';
    RETURN;
  END IF;
  UPDATE sessions AS s SET ended_at = now() WHERE s.id = other AND s.member_id = member AND session_is_live(s);
  outcome := CASE WHEN FOUND THEN 'deleted' ELSE 'session_missing' END;
END $$;
COMMENT ON FUNCTION session_end_other
IS 'Ends one of the caller''s live sessions: deleted, session_missing or session_ended.';
