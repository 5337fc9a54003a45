-- Commands of members on their own data.

CREATE OR REPLACE FUNCTION member_json(member bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT json_build_object(
    'id', m.id,
    'nickname', m.nickname,
    'main_member_title', coalesce((
      SELECT t.name FROM member_titles AS h INNER JOIN titles AS t ON t.id = h.title_id
      WHERE h.member_id = m.id AND h.is_main
    ), ''),
    'member_title_cnt', (SELECT count(*) FROM member_titles AS h WHERE h.member_id = m.id)
  )::text
  FROM members AS m WHERE m.id = member;
END;
COMMENT ON FUNCTION member_json(bigint) IS 'The profile of a member as JSON.';

CREATE OR REPLACE FUNCTION nickname_change(
  member bigint, session bigint, new_nickname text, new_key text, OUT outcome text, OUT body text
)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  -- Locks both rows in one order, so that members who swap nicknames in a cycle cannot deadlock.
  PERFORM FROM members AS m WHERE m.id = member OR m.nickname_key = new_key ORDER BY m.id FOR UPDATE;
  IF NOT session_is_live(session, member) THEN
    outcome := 'session_ended';
  ELSIF EXISTS (SELECT FROM members AS m WHERE m.nickname_key = new_key AND m.id <> member) THEN
    outcome := 'nickname_taken';
  ELSE
    UPDATE members AS m SET nickname = new_nickname, nickname_key = new_key
    WHERE m.id = member AND (m.nickname, m.nickname_key) IS DISTINCT FROM (new_nickname, new_key);
    outcome := 'changed';
    body := member_json(member);
  END IF;
END $$;
COMMENT ON FUNCTION nickname_change IS 'Changes the caller''s nickname: changed, nickname_taken or session_ended.';

CREATE OR REPLACE FUNCTION main_title_change(
  member bigint, session bigint, title bigint, origin text, zone text, OUT outcome text, OUT body text
)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF NOT begin_command(member, session) THEN
    outcome := 'session_ended';
  ELSIF NOT EXISTS (SELECT FROM titles AS t WHERE t.id = title) THEN
    outcome := 'title_missing';
  ELSIF NOT EXISTS (SELECT FROM member_titles AS h WHERE h.member_id = member AND h.title_id = title) THEN
    outcome := 'title_not_held';
  ELSE
    UPDATE member_titles AS h SET is_main = false WHERE h.member_id = member AND h.is_main AND h.title_id <> title;
    UPDATE member_titles AS h SET is_main = true WHERE h.member_id = member AND h.title_id = title AND NOT h.is_main;
    outcome := 'changed';
    body := member_titles_json(member, session, title, origin, zone);
  END IF;
END $$;
COMMENT ON FUNCTION main_title_change IS 'Makes a held title the main one: changed, title_not_held, title_missing or session_ended.';
