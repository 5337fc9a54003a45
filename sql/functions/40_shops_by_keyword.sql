-- Keyword search: every word must stand in the name, the brand or the address.

CREATE OR REPLACE FUNCTION shops_by_keyword(
  keyword text, user_lon double precision, user_lat double precision, box double precision [],
  min_rating double precision, open_minute integer,
  clean double precision, retouch double precision, props double precision,
  sort text, origin text, at_most integer, page_size integer, page_offset integer,
  member bigint DEFAULT NULL, session bigint DEFAULT NULL,
  OUT body text, OUT total integer, OUT truncated boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  viewer geography := point_at(user_lon, user_lat);
  words text[] := ARRAY(SELECT name_key(w) FROM regexp_split_to_table(keyword, '\s+') w WHERE NOT is_blank(w));
  ids bigint[];
BEGIN
  IF session IS NOT NULL AND NOT session_is_live(session, member) THEN
    RETURN;
  END IF;
  ids := ARRAY(
    SELECT s.id
    FROM shops s
    LEFT JOIN brands b ON b.id = s.brand_id
    LEFT JOIN shop_stats t ON t.shop_id = s.id
    WHERE s.status <> 'CLOSED'
      AND NOT EXISTS (
        SELECT FROM unnest(words) w
        WHERE strpos(concat(name_key(s.place_name), ' ', b.name_key, ' ', name_key(s.road_address), ' ',
          name_key(s.lot_address)), w) = 0)
      AND shop_passes(s, t, NULL, min_rating, open_minute, clean, retouch, props)
      AND (box IS NULL OR is_in_box(s.geog, box))
    ORDER BY ST_Distance(s.geog, viewer), s.id
    LIMIT at_most + 1);
  truncated := cardinality(ids) > at_most;
  ids := ids[:at_most];
  total := cardinality(ids);
  body := shops_json(ids, viewer, origin, member, sort, page_size, page_offset);
END $$;
COMMENT ON FUNCTION shops_by_keyword IS 'Shops whose name, brand or address holds every word of the keyword, nearest first, as JSON.';
