-- Everything held on a member, for the member.

CREATE OR REPLACE FUNCTION member_export(member bigint, session bigint, zone text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT concat(
    '{"member":', member_json(member),
    ',"create_date":', date_array(m.created_at, zone),
    ',"identities":', (
      SELECT '[' || coalesce(string_agg(concat(
        '{"provider":', to_json(i.provider)::text, ',"issuer":', to_json(i.issuer)::text,
        ',"subject":', to_json(i.subject)::text, ',"create_date":', date_array(i.created_at, zone), '}'
      ), ',' ORDER BY i.issuer, i.subject), '') || ']'
      FROM member_identities AS i WHERE i.member_id = member
    ),
    ',"sessions":', (
      SELECT '[' || coalesce(string_agg(concat(
        '{"id":', s.id, ',"device":', to_json(s.device)::text, ',"create_date":', date_array(s.created_at, zone),
        ',"last_used_date":', date_array(s.last_used_at, zone),
        ',"is_current":', (s.id = session)::text, '}'
      ), ',' ORDER BY s.id), '') || ']'
      FROM sessions AS s WHERE s.member_id = member
    ),
    ',"reviews":', (
      SELECT '[' || coalesce(string_agg(concat(
        '{"review_info":', review_info_json(r, zone), ',"shop_info":', json_build_object(
          'id', p.id, 'brand', coalesce(b.name, ''), 'place_name', p.place_name
        ), ',"is_hidden":', (r.hidden_at IS NOT NULL)::text, '}'
      ), ',' ORDER BY r.created_at, r.id), '') || ']'
      FROM reviews AS r
      INNER JOIN shops AS p ON p.id = r.shop_id
      LEFT JOIN brands AS b ON b.id = p.brand_id
      WHERE r.member_id = member
    ),
    ',"favorites":', (
      SELECT '[' || coalesce(string_agg(concat(
        '{"id":', f.id, ',"shop_id":', f.shop_id, ',"place_name":', to_json(p.place_name)::text,
        ',"create_date":', date_array(f.created_at, zone), '}'
      ), ',' ORDER BY f.created_at, f.id), '') || ']'
      FROM favorites AS f INNER JOIN shops AS p ON p.id = f.shop_id
      WHERE f.member_id = member
    ),
    ',"member_titles":', (
      SELECT '[' || coalesce(string_agg(concat(
        '{"id":', h.title_id, ',"name":', to_json(t.name)::text, ',"is_main":', h.is_main::text,
        ',"award_date":', date_array(h.awarded_at, zone), '}'
      ), ',' ORDER BY h.title_id), '') || ']'
      FROM member_titles AS h INNER JOIN titles AS t ON t.id = h.title_id
      WHERE h.member_id = member
    ),
    ',"reports":', (
      SELECT '[' || coalesce(string_agg(report_json(p.id, zone), ',' ORDER BY p.created_at, p.id), '') || ']'
      FROM reports AS p WHERE p.member_id = member
    ),
    ',"idempotency_keys":', (
      SELECT '[' || coalesce(string_agg(concat(
        '{"key":', to_json(k.key)::text, ',"create_date":', date_array(k.created_at, zone), '}'
      ), ',' ORDER BY k.created_at, k.key), '') || ']'
      FROM idempotency_keys AS k WHERE k.member_id = member
    ),
    '}'
  )
  FROM members AS m WHERE m.id = member AND session_is_live(session, member);
END;
COMMENT ON FUNCTION member_export(bigint, bigint, text)
IS 'Everything held on the caller as JSON; null when the session is over.';
