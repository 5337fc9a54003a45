-- Finds the shops of an interpreted keyword: with a nearest-first index on brand or region, else with the index on words.

-- Brands and regions as conditions of index scans: every brand with every 시도, every 시군구 alone. 제주 is the name of the 도 and
-- its 시. A shop in two scans would count twice towards the limit, so a 시군구 within a given 시도 is omitted. Planned once, although
-- functions call it whose own statements must be planned each time.
CREATE OR REPLACE FUNCTION search_scans(brands bigint [], regions bigint [])
RETURNS TABLE (brand bigint, sido bigint, sigungu bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT b, r.id, NULL::bigint FROM regions AS r CROSS JOIN unnest(coalesce(brands, ARRAY[NULL::bigint])) AS b
  WHERE r.id = ANY (search_scans.regions) AND r.level = 'sido'
  UNION ALL
  SELECT NULL, NULL, r.id FROM regions AS r WHERE r.id = ANY (search_scans.regions) AND r.level = 'sigungu'
    AND NOT EXISTS (
      SELECT FROM regions AS p WHERE p.level = 'sido' AND p.id = ANY (search_scans.regions)
        AND p.id IN (r.parent_id, (SELECT q.parent_id FROM regions AS q WHERE q.id = r.parent_id)))
  UNION ALL
  SELECT b, NULL, NULL FROM unnest(coalesce(brands, ARRAY[NULL::bigint])) AS b WHERE coalesce(search_scans.regions, '{}') = '{}'
  ORDER BY 1, 2, 3;
END $$;
COMMENT ON FUNCTION search_scans(bigint [], bigint []) IS 'The index scans for brands and regions, one per row; null means any, and regions without an element the whole country.';

-- array_position, because with brand_id = ANY (brands) the scan of a 시군구 would use an index that reads all shops of the brands.
CREATE OR REPLACE FUNCTION is_scanned(s shops, brand bigint, sido bigint, sigungu bigint, brands bigint []) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (s).status <> 'CLOSED'
AND (sido IS NULL OR (s).sido_id = sido)
AND (sigungu IS NULL OR (s).sigungu_id = sigungu)
AND (brand IS NULL OR (s).brand_id = brand)
AND (sigungu IS NULL OR brands IS NULL OR array_position(brands, (s).brand_id) IS NOT NULL);
COMMENT ON FUNCTION is_scanned(shops, bigint, bigint, bigint, bigint [])
IS 'Whether a scan of search_scans for these brands reads the shop.';

-- The normalisation of address_words. It is expensive, and most addresses are already NFKC.
CREATE OR REPLACE FUNCTION address_letters(address text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ' ' || translate(left(normalize(
    lower(CASE WHEN address ~ '^[ -~가-힣]*$' THEN address ELSE normalize(address, NFKC) END), NFD
  ), 600), ',()', '   ');
END $$;
COMMENT ON FUNCTION address_letters(text) IS 'The words of an address as letters, each preceded by a blank.';

CREATE OR REPLACE FUNCTION shop_words(s shops) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN search_words((s).name_jamo, (s).road_address, (s).lot_address, (s).brand_id, (s).sido_id, (s).sigungu_id, (s).dong_id);
COMMENT ON FUNCTION shop_words(shops) IS 'The words by which the index finds the shop.';

-- Equivalent to search_words @@ query, but does not compute the vector; it only searches the words of the query.
CREATE OR REPLACE FUNCTION search_holds(
  name_jamo text, road_address text, lot_address text, brand_id bigint, hints text [], query tsquery
) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  address text := address_letters(road_address || ' ' || lot_address);
  words text[] := ARRAY[]::text[];
  hint text;
BEGIN
  FOREACH hint IN ARRAY hints LOOP
    IF strpos(name_jamo, hint) > 0 OR strpos(address, ' ' || left(hint, 24)) > 0
      OR is_initials(hint) AND strpos(jamo_initials(name_jamo), hint) > 0 THEN
      words := words || left(hint, 24);
    END IF;
  END LOOP;
  RETURN array_to_tsvector(CASE WHEN brand_id IS NULL THEN words ELSE words || (chr(1) || 'b' || brand_id) END) @@ query;
END $$;
COMMENT ON FUNCTION search_holds(text, text, text, bigint, text [], tsquery)
IS 'Whether name, address and brand match the query; hints are the words of the query.';

-- The name is tested first, because that is cheap; the words may also be spread over name and address.
CREATE OR REPLACE FUNCTION search_admits(
  s shops, likes text [], beginnings text [], hints text [], query tsquery, filters shop_filters
) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE
  WHEN beginnings IS NOT NULL THEN (s).name_jamo LIKE ANY (beginnings)
  WHEN query IS NULL THEN true
  WHEN (s).name_jamo LIKE ALL (likes) THEN true
  WHEN hints IS NULL THEN false
  ELSE public.search_holds((s).name_jamo, (s).road_address, (s).lot_address, (s).brand_id, hints, query)
END
AND public.shop_passes(s, filters);
COMMENT ON FUNCTION search_admits
IS 'Whether the shop matches words and filters; with `beginnings`, its name must begin with one of them.';

-- The nearest shops of each scan, ordered by chord: at most `budget` are read and at most `wanted` returned. The last one within the
-- budget is always returned, but without its id if it does not match. A custom plan omits conditions on nulls, so that each kind of
-- scan uses its index.
CREATE OR REPLACE FUNCTION search_scan(
  viewer_spot geometry, brands bigint [], regions bigint [], wanted integer, likes text [] DEFAULT NULL,
  beginnings text [] DEFAULT NULL, hints text [] DEFAULT NULL, query tsquery DEFAULT NULL, filters shop_filters DEFAULT NULL,
  budget integer DEFAULT NULL
) RETURNS TABLE (id bigint, brand_id bigint, name_jamo text, chord_m double precision, spends_budget boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
  scan record;
BEGIN
  FOR scan IN SELECT * FROM search_scans(brands, regions) LOOP
    RETURN QUERY
    SELECT CASE WHEN r.admitted THEN r.id END, r.brand_id, r.name_jamo, r.chord_m, r.place = budget
    FROM (
      SELECT q.*, row_number() OVER () AS place FROM (
        SELECT s.id, s.brand_id, s.name_jamo, s.spot <<->> viewer_spot AS chord_m,
          search_admits(s, likes, beginnings, hints, query, filters) AS admitted
        FROM shops s
        WHERE is_scanned(s, scan.brand, scan.sido, scan.sigungu, brands)
        ORDER BY s.spot <<->> viewer_spot LIMIT budget
      ) q
    ) r
    WHERE r.admitted OR r.place = budget
    LIMIT wanted;
  END LOOP;
END $$;
COMMENT ON FUNCTION search_scan IS 'The nearest shops of the brands and regions, nearest first within each scan.';

-- Words of at least a fourteenth of the nearest shops are found by a scan, whose budget then holds a whole list; others by
-- the index over words. An incomplete word is searched in the form that most of the nearest shops have, 인생넼 as 인생네ㅋ,
-- and initials among their initials, because the index would collect every shop of a brand.
CREATE OR REPLACE FUNCTION search_is_common(
  viewer_spot geometry, brands bigint [], regions bigint [], rest text [], beginnings text [],
  OUT likes text [], OUT words_are boolean, OUT beginnings_are boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  with_initials boolean := (SELECT bool_or(is_initials(word)) FROM unnest(rest) word);
  near text[] := ARRAY(SELECT w.name_jamo || CASE WHEN with_initials THEN ' ' || jamo_initials(w.name_jamo) ELSE '' END
    FROM search_scan(viewer_spot, brands, regions, 200) w);
BEGIN
  likes := ARRAY(
    SELECT (SELECT '%' || like_pattern(t) FROM unnest(typed_prefixes(r.word)) t
      ORDER BY (SELECT count(*) FROM unnest(near) n WHERE strpos(n, t) > 0) DESC, t <> r.word, t LIMIT 1)
    FROM unnest(rest) WITH ORDINALITY r (word, o) ORDER BY r.o);
  SELECT count(*) FILTER (WHERE n LIKE ALL (likes)) * 14 >= greatest(count(*), 100),
    count(*) FILTER (WHERE n LIKE ANY (beginnings)) * 14 >= greatest(count(*), 100)
  INTO words_are, beginnings_are FROM unnest(near) n;
END $$;
COMMENT ON FUNCTION search_is_common(geometry, bigint [], bigint [], text [], text [])
IS 'Whether at least a fourteenth of the nearest shops have all words in the name, or a name with one of the beginnings; `likes` are the patterns of the words.';

CREATE OR REPLACE FUNCTION brands_are_common(viewer_spot geometry, brands bigint [], regions bigint [])
RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN brands IS NULL OR (
    SELECT count(*) FILTER (WHERE w.brand_id = ANY (brands)) * 10 >= count(*)
    FROM search_scan(viewer_spot, NULL, regions, greatest(coalesce(200 / cardinality(regions), 200), 50)) AS w);
END $$;
COMMENT ON FUNCTION brands_are_common(geometry, bigint [], bigint [])
IS 'Whether at least a tenth of the nearest shops in the regions belong to the brands, or no brand is given.';

-- If there are several regions, such as the six named 중구, one or two usually contain all of the nearest shops, so only the first
-- shop of the others is read.
CREATE OR REPLACE FUNCTION search_scan_nearest(viewer_spot geometry, brands bigint [], regions bigint [], wanted integer)
RETURNS TABLE (id bigint, chord_m double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
DECLARE
  scan record;
  ids bigint[];
  chords float8[];
BEGIN
  FOR scan IN
    SELECT t.brands, t.regions, n.chord_m AS nearest_m
    FROM (
      SELECT CASE WHEN w.brand IS NULL THEN search_scan_nearest.brands ELSE ARRAY[w.brand] END AS brands,
        CASE WHEN search_scan_nearest.regions IS NOT NULL THEN ARRAY[coalesce(w.sido, w.sigungu)] END AS regions
      FROM search_scans(brands, regions) w
    ) t
    CROSS JOIN LATERAL search_scan(viewer_spot, t.brands, t.regions, 1) n
    ORDER BY n.chord_m
  LOOP
    EXIT WHEN scan.nearest_m > chords[wanted];
    SELECT array_agg(q.id ORDER BY q.chord_m), array_agg(q.chord_m ORDER BY q.chord_m) INTO ids, chords
    FROM (
      SELECT * FROM unnest(ids, chords) AS k (id, chord_m)
      UNION ALL
      SELECT w.id, w.chord_m FROM search_scan(viewer_spot, scan.brands, scan.regions, wanted) w
      ORDER BY chord_m LIMIT wanted
    ) q;
  END LOOP;
  RETURN QUERY SELECT * FROM unnest(ids, chords);
END $$;
COMMENT ON FUNCTION search_scan_nearest(geometry, bigint [], bigint [], integer)
IS 'The nearest shops of the brands and regions, without words and filters.';

CREATE OR REPLACE FUNCTION search_scan_total(brands bigint [], regions bigint [], at_most integer) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_custom_plan SET enable_seqscan = off AS $$
DECLARE
  scan record;
  total integer := 0;
BEGIN
  FOR scan IN SELECT * FROM search_scans(brands, regions) LOOP
    EXIT WHEN total >= at_most;
    total := total + (
      SELECT count(*) FROM (
        SELECT FROM shops s
        WHERE is_scanned(s, scan.brand, scan.sido, scan.sigungu, brands)
        LIMIT at_most - total) q);
  END LOOP;
  RETURN total;
END $$;
COMMENT ON FUNCTION search_scan_total(bigint [], bigint [], integer) IS 'Number of shops of the brands and regions, counted up to at_most.';

-- Scans are ordered by chord. They continue until no later shop can be nearer by the geodesic: the two orders differ by less than
-- 0.001 (chord / Earth radius)^2, the effect of the flattening on the curvature.
CREATE OR REPLACE FUNCTION search_scan_certain(
  viewer_spot geometry, brands bigint [], regions bigint [], at_most integer, budgeted boolean, likes text [] DEFAULT NULL,
  beginnings text [] DEFAULT NULL, hints text [] DEFAULT NULL, query tsquery DEFAULT NULL, filters shop_filters DEFAULT NULL,
  OUT ids bigint [], OUT complete boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  wanted integer := at_most + 51;
  with_votes boolean := num_nonnulls(filters.clean, filters.retouch, filters.props) > 0;
  budget integer := CASE WHEN budgeted THEN
    (SELECT CASE WHEN with_votes THEN 2500 ELSE 4000 END / greatest(count(*), 1) FROM search_scans(brands, regions)) END;
  chords float8[];
  reached_m float8;
  certain_m float8;
BEGIN
  LOOP
    IF cardinality(regions) > 1 AND NOT budgeted THEN
      SELECT array_agg(w.id ORDER BY w.chord_m), array_agg(w.chord_m ORDER BY w.chord_m) INTO ids, chords
      FROM search_scan_nearest(viewer_spot, brands, regions, wanted) w;
    ELSE
      SELECT array_agg(w.id ORDER BY w.chord_m) FILTER (WHERE w.id IS NOT NULL),
        array_agg(w.chord_m ORDER BY w.chord_m) FILTER (WHERE w.id IS NOT NULL), min(w.chord_m) FILTER (WHERE w.spends_budget)
      INTO ids, chords, reached_m
      FROM search_scan(viewer_spot, brands, regions, wanted, likes, beginnings, hints, query, filters, budget) w;
    END IF;
    ids := coalesce(ids, '{}');
    certain_m := chords[at_most + 1] * (1 + 0.001 * (chords[at_most + 1] / 6371000) ^ 2) + 0.01;
    EXIT WHEN cardinality(ids) < wanted OR chords[wanted] > certain_m;
    wanted := wanted * 3;
  END LOOP;
  IF cardinality(ids) < wanted THEN
    certain_m := 'infinity';
  END IF;
  -- A scan that found the wanted number within its budget has read farther than necessary.
  complete := reached_m IS NULL OR reached_m >= certain_m;
  ids := ids[:wanted];
END $$;
COMMENT ON FUNCTION search_scan_certain IS 'Enough of the nearest shops to contain the at_most + 1 nearest by the geodesic; not complete if the budget was too small.';

-- More work_mem, because with a lossy bitmap, PostgreSQL recomputes the words of every row. The number of shops read is limited, to
-- fewer if each must be tested, or if few are wanted: if more shops have the words, any of them are good results.
CREATE OR REPLACE FUNCTION search_by_words(
  viewer_spot geometry, query tsquery, others tsquery, other_hints text [], stations bigint [],
  full_names text [], beginnings text [], filters shop_filters, at_most integer,
  OUT ids bigint [], OUT complete boolean, OUT matched boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET work_mem = '32MB' SET enable_seqscan = off AS $$
DECLARE
  budget integer := CASE WHEN others IS NULL AND stations IS NULL THEN least(4000, 100 * at_most) ELSE 500 END;
BEGIN
  WITH c AS MATERIALIZED (
    SELECT s.id, search_tier(s.name_jamo, full_names, beginnings) AS tier, ST_3DDistance(s.spot, viewer_spot) AS chord_m,
      shop_passes(s, filters) AS passes,
      (others IS NULL OR search_holds(s.name_jamo, s.road_address, s.lot_address, s.brand_id, other_hints, others))
      AND (search_by_words.stations IS NULL OR EXISTS (
          SELECT FROM stations AS t WHERE t.id = ANY (search_by_words.stations) AND ST_DWithin(t.geog, s.geog, 1000))) AS holds
    FROM shops AS s
    WHERE shop_words(s) @@ query
      AND s.status <> 'CLOSED'
    LIMIT budget
  )
  SELECT ARRAY(SELECT c.id FROM c WHERE c.passes AND c.holds ORDER BY c.tier, c.chord_m, c.id LIMIT at_most + 51),
    (SELECT count(*) < budget FROM c), filters IS NULL OR EXISTS (SELECT FROM c WHERE c.holds)
  INTO ids, complete, matched;
END $$;
COMMENT ON FUNCTION search_by_words IS 'The best shops for the query by the index over words that also match the other words; near one of the stations, if any; not complete if it reached the limit; matched if the filters exclude some.';

CREATE OR REPLACE FUNCTION box_within(a geometry, b geometry) RETURNS geometry
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN a &&& b THEN ST_SetSRID(ST_3DMakeBox(
    ST_MakePoint(greatest(ST_XMin(a), ST_XMin(b)), greatest(ST_YMin(a), ST_YMin(b)), greatest(ST_ZMin(a), ST_ZMin(b))),
    ST_MakePoint(least(ST_XMax(a), ST_XMax(b)), least(ST_YMax(a), ST_YMax(b)), least(ST_ZMax(a), ST_ZMax(b)))), ST_SRID(a)) END;
END $$;
COMMENT ON FUNCTION box_within(geometry, geometry) IS 'The intersection of two boxes in space; null if it is empty.';

-- The rows of a station, one per line, and the shops of a street are so close together that one scan reads the shops around all.
CREATE OR REPLACE FUNCTION places_merged(places geography []) RETURNS geography []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT ST_Union(c.geom)::geography FROM (
      SELECT p::geometry AS geom, o, ST_ClusterDBSCAN(p::geometry, 0.005, 1) OVER () AS place FROM unnest(places) WITH ORDINALITY AS t (p, o)
    ) AS c GROUP BY c.place ORDER BY min(c.o));
END $$;
COMMENT ON FUNCTION places_merged(geography []) IS 'The points in their order; those within half a kilometre of another one are merged with it.';

CREATE OR REPLACE FUNCTION station_places(stations bigint []) RETURNS geography []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN places_merged(ARRAY(SELECT t.geog FROM stations AS t WHERE t.id = ANY (station_places.stations)));
END $$;
COMMENT ON FUNCTION station_places(bigint []) IS 'Where the stations are, each place once.';

-- A 동 includes more than its boundary: addresses and shop names use the 법정동, while boundaries are those of 행정동. Both count,
-- but only within the district.
CREATE OR REPLACE FUNCTION named_dongs(regions bigint []) RETURNS TABLE (letters text, district bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN QUERY
  SELECT DISTINCT normalize(regexp_replace(name_key(r.name), '제?[0-9·.,]+(가[0-9]*)?동$', '동'), NFD), r.parent_id
  FROM regions AS r WHERE r.id = ANY (named_dongs.regions) AND r.level = 'dong' AND r.name ~ '.(동|[0-9]가)$';
END $$;
COMMENT ON FUNCTION named_dongs(bigint []) IS 'The letters of those regions that are 동, as addresses write them, and their districts.';

CREATE OR REPLACE FUNCTION in_regions(regions bigint []) RETURNS tsquery
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  every tsquery := in_any('r', regions);
  named record;
BEGIN
  FOR named IN SELECT d.letters, array_agg(d.district) AS districts FROM named_dongs(regions) AS d GROUP BY 1 LOOP
    every := every || (in_any('r', named.districts) && begins_with_any(ARRAY[named.letters]));
  END LOOP;
  RETURN every;
END $$;
COMMENT ON FUNCTION in_regions(bigint []) IS 'The tsquery for shops in the regions, for a 동 also those whose address or name contains it; null if none are given.';

CREATE OR REPLACE FUNCTION is_in_any(s shops, regions bigint [], districts bigint [], dongs text [], dong_words tsquery) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regions IS NULL OR (s).sido_id = ANY (regions) OR (s).sigungu_id = ANY (regions) OR (s).dong_id = ANY (regions)
OR (s).sigungu_id = ANY (districts)
AND public.search_holds((s).name_jamo, (s).road_address, (s).lot_address, NULL, dongs, dong_words);
COMMENT ON FUNCTION is_in_any(shops, bigint [], bigint [], text [], tsquery)
IS 'Whether the shop is in one of the regions, or in the district and has the name of a 동 of named_dongs; also if regions is null.';

-- Nearest to the viewer first within the box around each place, because a kilometre may contain tens of thousands of shops.
-- The places and brands share a budget of shops to read, which is smaller if words, regions or filters are tested; no scan reads
-- beyond the shops already found. A generic plan needs a separate query for each index; the one that does not apply reads nothing.
CREATE OR REPLACE FUNCTION search_near_places(
  viewer_spot geometry, places geography [], brands bigint [], regions bigint [], at_most integer, hints text [] DEFAULT NULL,
  query tsquery DEFAULT NULL, filters shop_filters DEFAULT NULL
) RETURNS bigint []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  place record;
  within geometry;
  surely_m float8 := chord_within(1000);
  wanted integer := at_most + 51;
  budget integer := CASE WHEN query IS NOT NULL THEN 500 WHEN regions IS NOT NULL OR NOT (filters IS NULL) THEN 2000 ELSE 10000 END
    / greatest(cardinality(places) * coalesce(cardinality(brands), 1), 1);
  found bigint[] := ARRAY[]::bigint[];
  chords float8[] := ARRAY[]::float8[];
  more bigint[];
  their_chords float8[];
  dongs text[];
  dong_words tsquery;
  districts bigint[];
BEGIN
  SELECT coalesce(array_agg(d.letters), '{}'), coalesce(array_agg(d.district), '{}') INTO dongs, districts FROM named_dongs(regions) AS d;
  dong_words := begins_with_any(dongs);
  FOR place IN
    SELECT p.geog, p.spot, b AS brand
    FROM (SELECT g AS geog, spot_at(g) AS spot FROM unnest(places) g) p CROSS JOIN unnest(coalesce(brands, ARRAY[NULL::bigint])) b
    ORDER BY p.spot <<->> viewer_spot, b
  LOOP
    within := ST_Expand(place.spot, 1000);
    IF cardinality(chords) = wanted THEN
      within := box_within(within, ST_Expand(viewer_spot, chords[wanted]));
      CONTINUE WHEN within IS NULL;
    END IF;
    SELECT array_agg(q.id), array_agg(q.chord_m) INTO more, their_chords FROM (
      SELECT c.id, c.chord_m FROM (
        (SELECT s.id, s.spot <<->> viewer_spot AS chord_m, is_within(s.geog, s.spot, place.geog, place.spot, 1000, surely_m)
          AND is_in_any(s, regions, districts, dongs, dong_words) AND search_admits(s, NULL, NULL, hints, query, filters) AS admitted
        FROM shops s
        WHERE place.brand IS NULL AND s.spot &&& within AND s.status <> 'CLOSED' ORDER BY s.spot <<->> viewer_spot LIMIT budget)
        UNION ALL
        (SELECT s.id, s.spot <<->> viewer_spot, is_within(s.geog, s.spot, place.geog, place.spot, 1000, surely_m)
          AND is_in_any(s, regions, districts, dongs, dong_words) AND search_admits(s, NULL, NULL, hints, query, filters)
        FROM shops s
        WHERE s.brand_id = place.brand AND s.spot &&& within AND s.status <> 'CLOSED' ORDER BY s.spot <<->> viewer_spot LIMIT budget)
      ) c
      WHERE c.admitted LIMIT wanted) q;
    SELECT coalesce(array_agg(k.id ORDER BY k.chord_m), '{}'), coalesce(array_agg(k.chord_m ORDER BY k.chord_m), '{}') INTO found, chords
    FROM (
      SELECT a.id, min(a.chord_m) AS chord_m FROM unnest(found || more, chords || their_chords) AS a (id, chord_m)
      GROUP BY a.id ORDER BY 2 LIMIT wanted) k;
  END LOOP;
  RETURN found;
END $$;
COMMENT ON FUNCTION search_near_places IS 'The nearest shops within 1 km of one of the places.';

-- Unordered, because an ordered scan computes every distance twice. The boxes share the budget of search_near_places.
CREATE OR REPLACE FUNCTION search_all_near_places(places geography [], brands bigint []) RETURNS bigint []
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
DECLARE
  place record;
  surely_m float8 := chord_within(1000);
  budget integer := 10000 / greatest(cardinality(places) * coalesce(cardinality(brands), 1), 1);
  found bigint[] := ARRAY[]::bigint[];
  more bigint[];
  examined bigint;
BEGIN
  FOR place IN
    SELECT p.geog, p.spot, ST_Expand(p.spot, 1000) AS around, b AS brand
    FROM (SELECT g AS geog, spot_at(g) AS spot FROM unnest(places) g) p CROSS JOIN unnest(coalesce(brands, ARRAY[NULL::bigint])) b
  LOOP
    SELECT array_agg(c.id) FILTER (WHERE is_within(c.geog, c.spot, place.geog, place.spot, 1000, surely_m)), count(*)
    INTO more, examined
    FROM (
      SELECT s.id, s.geog, s.spot FROM shops s WHERE place.brand IS NULL AND s.spot &&& place.around AND s.status <> 'CLOSED'
      UNION ALL
      SELECT s.id, s.geog, s.spot FROM shops s WHERE s.brand_id = place.brand AND s.spot &&& place.around AND s.status <> 'CLOSED'
      LIMIT budget + 1
    ) c;
    IF examined > budget THEN
      RETURN NULL;
    END IF;
    found := found || more;
  END LOOP;
  RETURN found;
END $$;
COMMENT ON FUNCTION search_all_near_places(geography [], bigint [])
IS 'The shops of the brands within 1 km of one of the places, once per place; null if there are too many to read all.';

-- For common words: first the shops whose name equals the keyword or begins with it, then the nearest with the words.
CREATE OR REPLACE FUNCTION search_common_words(
  viewer_spot geometry, brands bigint [], regions bigint [], likes text [], hints text [], query tsquery,
  names text [], full_names text [], beginnings text [], beginnings_are_common boolean,
  filters shop_filters, at_most integer, OUT ids bigint [], OUT complete boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  within tsquery := all_of(ARRAY[in_any('b', brands), in_any('r', regions)]);
  begun tsquery := CASE
    WHEN beginnings_are_common THEN are_any(ARRAY(SELECT chr(2) || n FROM unnest(full_names) n))
    ELSE begins_with_any(ARRAY(SELECT chr(2) || n FROM unnest(names) n)) END;
  scanned bigint[];
BEGIN
  SELECT w.ids, true INTO ids, complete FROM search_by_words(viewer_spot, all_of(ARRAY[within, begun]), query, hints, NULL,
    full_names, beginnings, filters, at_most) w;
  IF beginnings_are_common THEN
    SELECT c.ids, c.complete INTO scanned, complete
    FROM search_scan_certain(viewer_spot, brands, regions, at_most, true, beginnings => beginnings, filters => filters) c;
    ids := ids || scanned;
  END IF;
  IF complete AND (SELECT count(DISTINCT f) FROM unnest(ids) f) <= at_most THEN
    SELECT c.ids, c.complete INTO scanned, complete
    FROM search_scan_certain(viewer_spot, brands, regions, at_most, true, likes, hints => hints, query => query, filters => filters) c;
    ids := ids || scanned;
  END IF;
END $$;
COMMENT ON FUNCTION search_common_words
IS 'The best shops for words that many names contain; not complete if too many shops would have to be read.';

-- Sampled evenly over the ids.
CREATE OR REPLACE FUNCTION search_sample() RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    SELECT concat(d.name_jamo, chr(1), normalize(lower(d.road_address || ' ' || d.lot_address), NFD), brand_mark(d.brand_id))
    FROM (
      SELECT DISTINCT ON (n.id) n.*
      FROM (SELECT min(a.id) AS least, max(a.id) AS greatest FROM shops AS a) AS r
      CROSS JOIN generate_series(0, 199) AS i
      CROSS JOIN LATERAL (
        SELECT s.id, s.name_jamo, s.road_address, s.lot_address, s.brand_id FROM shops AS s
        WHERE s.id >= r.least + (r.greatest - r.least) * i / 200 ORDER BY s.id LIMIT 1
      ) AS n ORDER BY n.id
    ) AS d
  );
END $$;
COMMENT ON FUNCTION search_sample() IS 'Names and addresses as letters, separated by U+0001, with the brand marks of at most two hundred shops.';

CREATE OR REPLACE FUNCTION brand_mark(brand bigint) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN chr(983040 + (brand % 65533)::integer);
COMMENT ON FUNCTION brand_mark(bigint) IS 'A character that represents the brand in the sample''s texts; keywords do not contain it.';

-- Ordered by rarity, then length.
CREATE OR REPLACE FUNCTION search_counted(words text [], sample text []) RETURNS TABLE (word text, shops bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN QUERY
  SELECT d.w, (
      SELECT count(*) FROM unnest(sample) AS t
      WHERE EXISTS (SELECT FROM unnest(d.forms) AS f WHERE strpos(t, f) > 0)
        OR d.is_short AND strpos(jamo_initials(split_part(t, chr(1), 1)), d.w) > 0)
  FROM (
    SELECT x.w, typed_prefixes(x.w) || ARRAY(SELECT brand_mark(b) FROM unnest(brands_called(x.w)) AS b) AS forms,
      x.w ~ '^[\u1100-\u115f]+$' AS is_short
    FROM (SELECT DISTINCT u.w FROM unnest(words) AS u (w)) AS x OFFSET 0
  ) AS d
  ORDER BY 2, length(d.w) DESC, 1;
END $$;
COMMENT ON FUNCTION search_counted(text [], text []) IS 'For each word the number of shops of the sample that have it.';

-- For such words a scan near the viewer is faster than the index, which collects every shop with a word.
CREATE OR REPLACE FUNCTION are_too_many(sampled bigint, sample text []) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN sampled * (SELECT c.reltuples FROM pg_class AS c WHERE c.oid = 'shops'::regclass) > 20000 * cardinality(sample);
END $$;
COMMENT ON FUNCTION are_too_many(bigint, text []) IS 'Whether that many shops of the sample correspond to more than 20,000 of all shops.';

CREATE OR REPLACE FUNCTION search_is_in_most(pieces text [], sample text []) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN are_too_many((
    SELECT count(*) FROM unnest(sample) AS t
    WHERE EXISTS (SELECT FROM unnest(pieces) AS p WHERE strpos(t, p) > 0)), sample);
END $$;
COMMENT ON FUNCTION search_is_in_most(text [], text []) IS 'Whether more than 20,000 shops are estimated, from the sample, to have one of the pieces.';

CREATE OR REPLACE FUNCTION has_few_shops(query tsquery) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
BEGIN
  RETURN (
    SELECT count(*) < 500 FROM (
      SELECT FROM shops AS s
      WHERE shop_words(s) @@ query
        AND s.status <> 'CLOSED'
      LIMIT 500
    ) AS q
  );
END $$;
COMMENT ON FUNCTION has_few_shops(tsquery) IS 'Whether so few shops match the query that a search can test words on all of them.';

CREATE OR REPLACE FUNCTION shops_have(word text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
DECLARE
  query constant tsquery := rest_query(word);
BEGIN
  RETURN EXISTS (
    SELECT FROM shops AS s
    WHERE shop_words(s) @@ query
      AND s.status <> 'CLOSED');
END $$;
COMMENT ON FUNCTION shops_have(text) IS 'Whether a shop has the letters in its name or address, or in a name of its brand.';

CREATE OR REPLACE FUNCTION words_nowhere(words text [], sample text []) RETURNS text []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(SELECT c.word FROM search_counted(words, sample) AS c WHERE c.shops = 0 AND NOT shops_have(c.word));
END $$;
COMMENT ON FUNCTION words_nowhere(text [], text []) IS 'Those of the words that neither the sample nor any other shop has.';

-- The index collects all shops with one word before it reads the next word. Common words are therefore tested on the shops found by
-- rarer words; if few shops have the rarest word, all other words are tested on them.
CREATE OR REPLACE FUNCTION search_queries(
  rest text [], sample text [], misspelt text [],
  OUT every tsquery, OUT rarest tsquery, OUT others tsquery, OUT other_hints text [], OUT all_are_common boolean, OUT too_common boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  words text[];
  common text[];
  least bigint;
  tested text[];
BEGIN
  SELECT coalesce(array_agg(c.word), '{}'), coalesce(array_agg(c.word) FILTER (WHERE c.shops >= 3), '{}'), min(c.shops)
  INTO words, common, least FROM search_counted(rest, sample) AS c;
  all_are_common := words = common;
  too_common := all_are_common AND are_too_many(least, sample);
  tested := CASE
    WHEN too_common THEN common
    WHEN all_are_common OR misspelt = '{}' AND cardinality(words) - cardinality(common) > 1
      AND has_few_shops(rest_query(words[1])) THEN words[2:]
    ELSE common END;
  SELECT all_of(array_agg(t.q)), all_of(array_agg(t.q) FILTER (WHERE t.w <> ALL (tested))),
    all_of(array_agg(rest_query(t.w)) FILTER (WHERE t.w = ANY (tested)))
  INTO every, rarest, others
  FROM (SELECT w, CASE WHEN w = ANY (misspelt) THEN typo_query(w, sample) ELSE rest_query(w) END AS q FROM unnest(rest) AS w OFFSET 0) AS t;
  other_hints := every_typed_prefix(tested);
END $$;
COMMENT ON FUNCTION search_queries(text [], text [], text [])
IS 'Words as queries: `every` for all words; `rarest` for the index; `others` for those tested on its result.';

-- A prefix of a name has few entries in the index, but a word within names has one per continuation. Brands are compared afterwards,
-- because the names imply them, and an index would read all shops of a brand.
CREATE OR REPLACE FUNCTION search_named(
  viewer_spot geometry, brands bigint [], regions bigint [], around geometry [], names text [], full_names text [], beginnings text [],
  filters shop_filters, at_most integer, OUT ids bigint [], OUT are_enough boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET work_mem = '32MB' SET enable_seqscan = off AS $$
DECLARE
  query tsquery := all_of(ARRAY[in_regions(regions), begins_with_any(ARRAY(SELECT chr(2) || n FROM unnest(names) n))]);
BEGIN
  SELECT CASE WHEN count(*) < 5000 THEN (array_agg(c.id ORDER BY c.tier, c.chord_m, c.id) FILTER (WHERE c.is_near))[:at_most + 51] END,
    count(*) < 5000 AND count(*) FILTER (WHERE c.is_near IS NOT NULL) > at_most + 50
  INTO ids, are_enough
  FROM (
    SELECT s.id, search_tier(s.name_jamo, full_names, beginnings) AS tier, s.spot <<->> viewer_spot AS chord_m,
      CASE WHEN s.brand_id = ANY (brands) THEN around IS NULL OR EXISTS (SELECT FROM unnest(around) AS a WHERE s.spot &&& a) END AS is_near
    FROM shops s
    WHERE shop_words(s) @@ query
      AND s.status <> 'CLOSED' AND s.name_jamo LIKE ANY (beginnings) AND shop_passes(s, filters)
    LIMIT 5000
  ) c;
  ids := coalesce(ids, '{}');
END $$;
COMMENT ON FUNCTION search_named
IS 'The at_most + 51 nearest shops of the brands and regions within the boxes, if any, whose name has this prefix, and whether there are as many inside or outside of the boxes; none if there are too many to read all.';

-- 인생네컷 강남 is the name of 인생네컷 강남점, which may be on the other side of the street that bounds 강남구. No index
-- serves the condition on the brands: it would read all of their shops.
CREATE OR REPLACE FUNCTION search_named_exactly(
  brands bigint [], full_names text [], regions bigint [], within tsquery, filters shop_filters,
  OUT ids bigint [], OUT outside integer
)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
DECLARE
  named constant tsquery := (SELECT string_agg(quoted_word(chr(2) || left(n, 23)), '|')::tsquery FROM unnest(full_names) AS n);
BEGIN
  SELECT coalesce(array_agg(c.id), '{}'), count(*) FILTER (WHERE NOT c.belongs AND NOT shop_words(c.s) @@ within) INTO ids, outside
  FROM (
    SELECT n.* FROM (
      SELECT s, s.id, s.geog, regions && ARRAY[s.sido_id, s.sigungu_id, s.dong_id] AS belongs FROM shops AS s
      WHERE shop_words(s) @@ named
        AND s.status <> 'CLOSED' AND s.name_jamo = ANY (full_names) AND array_position(brands, s.brand_id) IS NOT NULL AND shop_passes(s, filters)
    ) AS n
    WHERE n.belongs OR EXISTS (
      -- the boxes are compared first, without reading the boundary
      SELECT FROM regions AS r
      WHERE r.id = ANY (search_named_exactly.regions) AND r.boundary && ST_Expand(n.geog::geometry, 0.05) AND ST_DWithin(r.boundary, n.geog::geometry, 0.05))
    LIMIT 20
  ) AS c;
END $$;
COMMENT ON FUNCTION search_named_exactly(bigint [], text [], bigint [], tsquery, shop_filters)
IS 'At most twenty shops of the brands with one of the names within 0.05 degrees of the regions, and how many of them the query `within` does not find.';

-- 인생네컷 명동점, but not a branch in 동명동, nor one elsewhere on a road 명동길, nor for 이대 포토그레이 대화점.
CREATE OR REPLACE FUNCTION branches_at(shop_ids bigint [], branch text [], around geometry []) RETURNS bigint []
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(
    WITH named AS MATERIALIZED (SELECT b.id, jamo(b.name) AS letters FROM brands AS b)
    SELECT s.id FROM shops AS s LEFT JOIN named AS n ON n.id = s.brand_id AND starts_with(s.name_jamo, n.letters)
    WHERE s.id = ANY (shop_ids) AND substr(s.name_jamo, length(coalesce(n.letters, '')) + 1) LIKE ALL (ARRAY(SELECT '%' || like_pattern(b) FROM unnest(branch) AS b))
      AND (around IS NULL OR EXISTS (SELECT FROM unnest(around) AS a WHERE s.spot &&& a)));
END $$;
COMMENT ON FUNCTION branches_at(bigint [], text [], geometry [])
IS 'Those of the shops that have the words of a station''s name in theirs and, unless there are none, are within one of the boxes.';

-- For words that are_too_many() shops have. The scans, of four districts for 수원, share the shops to read. The filters are tested
-- on the shops with the words.
CREATE OR REPLACE FUNCTION search_near_words(
  viewer_spot geometry, brands bigint [], regions bigint [], likes text [], hints text [], query tsquery,
  filters shop_filters, at_most integer, OUT ids bigint [], OUT matched boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  ids := ARRAY(
    SELECT w.id FROM search_scan(
      viewer_spot, brands, regions, CASE WHEN filters IS NULL THEN at_most + 51 END, likes, hints => hints, query => query,
      budget => (SELECT greatest(1000 / greatest(count(*), 1), 50) FROM search_scans(brands, regions))::integer) AS w
    WHERE w.id IS NOT NULL);
  matched := filters IS NULL OR ids <> '{}';
  IF NOT (filters IS NULL) THEN
    ids := ARRAY(SELECT s.id FROM shops AS s WHERE s.id = ANY (ids) AND shop_passes(s, filters));
  END IF;
END $$;
COMMENT ON FUNCTION search_near_words
IS 'Of the thousand nearest shops of the brands and regions those with the words of the query that pass the filters; matched if the filters exclude some.';

CREATE OR REPLACE FUNCTION shops_ranked(
  viewer geography, shop_ids bigint [], named bigint [], full_names text [], beginnings text [], needed integer,
  OUT ids bigint [], OUT tiers integer [], OUT distances double precision []
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  SELECT coalesce(array_agg(best.id), '{}'), array_agg(best.tier), array_agg(best.distance_m) INTO ids, tiers, distances
  FROM (
    SELECT c.* FROM (
      SELECT s.id, ST_Distance(s.geog, viewer) AS distance_m,
        least(search_tier(s.name_jamo, full_names, beginnings), CASE WHEN s.id = ANY (named) THEN 2 ELSE 3 END) AS tier
      FROM shops s WHERE s.id = ANY (shop_ids)
      OFFSET 0  -- else the distance is computed twice
    ) c
    ORDER BY c.tier, distance_rank(c.distance_m), c.id LIMIT needed + 1
  ) best;
END $$;
COMMENT ON FUNCTION shops_ranked(geography, bigint [], bigint [], text [], text [], integer)
IS 'The needed + 1 best of the shops by tier, which for named branches is at most 2, distance (metres) and id.';

-- The row has the attributes of keyword_reading in their order.
CREATE OR REPLACE FUNCTION reading_of(
  brands bigint [] DEFAULT NULL, regions bigint [] DEFAULT NULL, stations bigint [] DEFAULT NULL, rest text [] DEFAULT '{}'
) RETURNS keyword_reading
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (brands, regions, stations, '{}', rest, NULL, false, NULL, NULL, NULL)::keyword_reading;
COMMENT ON FUNCTION reading_of(bigint [], bigint [], bigint [], text []) IS 'A reading of names and other words, as letters (NFD), for search_find().';

CREATE OR REPLACE FUNCTION query_of_names(u keyword_reading) RETURNS tsquery
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN all_of(ARRAY[in_any('b', u.brands), in_regions(u.regions)]);
END $$;
COMMENT ON FUNCTION query_of_names(keyword_reading) IS 'The tsquery for shops of the brands in the regions; null if neither are named.';

-- Names alone are all of one tier.
CREATE OR REPLACE FUNCTION full_names_of(u keyword_reading) RETURNS text []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN u.branch || u.rest <> '{}' THEN branch_names(u.names) END;
END $$;
COMMENT ON FUNCTION full_names_of(keyword_reading) IS 'The names of shops that are of the first tier; null if there are no tiers.';

CREATE OR REPLACE FUNCTION beginnings_of(u keyword_reading) RETURNS text []
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN u.branch || u.rest <> '{}' THEN ARRAY(SELECT like_pattern(n) FROM unnest(u.names) AS n) END;
END $$;
COMMENT ON FUNCTION beginnings_of(keyword_reading) IS 'Patterns of the names of shops that are of the second tier; null if there are no tiers.';

CREATE OR REPLACE FUNCTION is_scannable(viewer_spot geometry, u keyword_reading) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  levels text[] := ARRAY(SELECT DISTINCT r.level FROM regions AS r WHERE r.id = ANY (u.regions));
BEGIN
  RETURN NOT 'dong' = ANY (levels) AND (NOT 'sigungu' = ANY (levels) OR brands_are_common(viewer_spot, u.brands, u.regions));
END $$;
COMMENT ON FUNCTION is_scannable(geometry, keyword_reading)
IS 'Whether search_scan() finds the shops of the brands in the regions without reading many others.';

CREATE OR REPLACE FUNCTION search_branch(
  viewer_spot geometry, u keyword_reading, misspelt text [], sample text [], around geometry [], filters shop_filters, at_most integer,
  OUT ids bigint [], OUT complete boolean, OUT matched boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  full_names text[] := full_names_of(u);
  beginnings text[] := beginnings_of(u);
  within tsquery := query_of_names(u);
  are_enough boolean := false;
  q record;
BEGIN
  complete := true;
  IF u.rest = '{}' AND at_most <= 1000 THEN
    SELECT n.* INTO ids, are_enough FROM search_named(viewer_spot, u.brands, u.regions, around, u.names, full_names, beginnings, filters, at_most) AS n;
  END IF;
  IF are_enough THEN
    RETURN;
  END IF;
  q := search_queries(u.branch || u.rest, coalesce(sample, search_sample()), misspelt);
  IF q.too_common AND within IS NOT NULL AND is_scannable(viewer_spot, u) THEN
    SELECT w.ids, w.matched, false INTO ids, matched, complete
    FROM search_near_words(viewer_spot, u.brands, u.regions, NULL, q.other_hints, q.every, filters, at_most) AS w;
  ELSE
    SELECT w.* INTO ids, complete, matched FROM search_by_words(
      viewer_spot, all_of(ARRAY[within, q.rarest]), q.others, q.other_hints, NULL, full_names, beginnings, filters, at_most) AS w;
  END IF;
  ids := branches_at(ids, u.branch, around);
  IF matched AND ids = '{}' AND NOT (filters IS NULL) THEN
    SELECT branches_at(w.ids, u.branch, around) <> '{}' INTO matched FROM search_by_words(
      viewer_spot, all_of(ARRAY[within, q.rarest]), q.others, q.other_hints, NULL, full_names, beginnings, NULL, at_most) AS w;
  END IF;
END $$;
COMMENT ON FUNCTION search_branch IS 'The best shops of a brand that have a station''s name and the other words in theirs, within the boxes, if any.';

-- A branch with the station's name and the other words is the only result; without other words, it comes first, and the shops
-- around the station may not fit into the list.
CREATE OR REPLACE FUNCTION search_at_stations(
  viewer_spot geometry, u keyword_reading, misspelt text [], sample text [], filters shop_filters, at_most integer, needed integer,
  OUT named bigint [], OUT ids bigint [], OUT total integer, OUT complete boolean, OUT matched boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  q record := search_queries(u.rest, sample, misspelt);
  hints text[] := every_typed_prefix(u.rest);
  places geography[] := station_places(u.stations);
  -- a branch is within about 20 km of the station it is called by
  around geometry[] := CASE WHEN u.regions IS NULL THEN ARRAY(SELECT ST_Expand(spot_at(p), 20000) FROM unnest(places) AS p) END;
  near bigint[];
  every_near bigint[];
BEGIN
  named := '{}';
  complete := true;
  IF u.branch <> '{}' THEN
    SELECT b.* INTO named, complete, matched FROM search_branch(viewer_spot, u, misspelt, sample, around, filters, at_most) AS b;
  END IF;
  ids := named;
  IF named = '{}' AND NOT q.all_are_common THEN
    SELECT w.ids, w.complete, w.matched OR coalesce(search_at_stations.matched, false) INTO ids, complete, matched
    FROM search_by_words(viewer_spot, all_of(ARRAY[query_of_names(u), q.rarest]), q.others, q.other_hints, u.stations,
      full_names_of(u), beginnings_of(u), filters, at_most) AS w;
  ELSIF cardinality(named) > at_most AND complete THEN
    matched := true;
  ELSIF named = '{}' OR q.every IS NULL THEN
    IF filters IS NULL AND q.every IS NULL AND u.regions IS NULL AND needed < at_most THEN
      every_near := search_all_near_places(places, u.brands);
    END IF;
    near := search_near_places(
      viewer_spot, places, u.brands, u.regions, CASE WHEN every_near IS NULL THEN at_most ELSE needed END, hints, q.every, filters);
    IF filters IS NULL AND q.every IS NULL THEN
      total := least((SELECT count(DISTINCT f) FROM unnest(named || coalesce(every_near, near)) AS f), at_most + 1);
      near := near[:needed + 51];
    END IF;
    ids := named || near;
    matched := filters IS NULL OR coalesce(matched, false) OR ids <> '{}'
      OR search_near_places(viewer_spot, places, u.brands, u.regions, 1, hints, q.every) <> '{}';
  END IF;
END $$;
COMMENT ON FUNCTION search_at_stations
IS 'For search_find: shops at the stations, of which `named` have a station''s name in theirs; the total is null if it is the number of shops found.';

CREATE OR REPLACE FUNCTION search_without_stations(
  viewer_spot geometry, u keyword_reading, misspelt text [], sample text [], filters shop_filters, at_most integer, needed integer,
  OUT ids bigint [], OUT total integer, OUT complete boolean, OUT matched boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  is_unfiltered boolean := filters IS NULL;
  q record := search_queries(u.rest, sample, misspelt);
  hints text[] := every_typed_prefix(u.rest);
  full_names text[] := full_names_of(u);
  beginnings text[] := beginnings_of(u);
  scannable boolean := is_scannable(viewer_spot, u);
  likes text[];
  words_are_common boolean;
  beginnings_are_common boolean;
BEGIN
  complete := true;
  IF u.brands IS NULL AND u.regions IS NULL AND q.every IS NULL THEN
    ids := '{}';
    total := 0;
    matched := false;
    RETURN;
  ELSIF scannable AND q.every IS NULL THEN
    SELECT c.* INTO ids, complete FROM search_scan_certain(
      viewer_spot, u.brands, u.regions, CASE WHEN is_unfiltered THEN needed ELSE at_most END, NOT is_unfiltered, filters => filters) AS c;
    IF is_unfiltered AND needed < at_most THEN
      total := search_scan_total(u.brands, u.regions, at_most + 1);
    END IF;
    matched := is_unfiltered OR ids <> '{}' OR EXISTS (SELECT FROM search_scan(viewer_spot, u.brands, u.regions, 1));
    RETURN;
  END IF;
  -- A scan for thousands of shops would test the words of every shop of a small country.
  IF scannable AND q.all_are_common
    AND (at_most <= 1000 OR 20 * at_most < (SELECT c.reltuples FROM pg_class AS c WHERE c.oid = 'shops'::regclass)) THEN
    SELECT c.* INTO likes, words_are_common, beginnings_are_common
    FROM search_is_common(viewer_spot, u.brands, u.regions, u.rest, beginnings) AS c;
  END IF;
  IF words_are_common THEN
    SELECT c.* INTO ids, complete FROM search_common_words(viewer_spot, u.brands, u.regions, likes, hints, q.every,
      u.names, full_names, beginnings, beginnings_are_common, filters, at_most) AS c;
    matched := true;
    -- If filters apply, or the index finds tens of thousands of shops, some shops near the viewer are better than arbitrary ones.
    IF is_unfiltered AND NOT complete AND NOT q.too_common THEN
      ids := NULL;
    END IF;
  ELSIF q.too_common AND scannable THEN
    SELECT w.ids, w.matched, false INTO ids, matched, complete
    FROM search_near_words(viewer_spot, u.brands, u.regions, likes, hints, q.every, filters, at_most) AS w;
  END IF;
  IF ids IS NULL THEN
    SELECT w.* INTO ids, complete, matched FROM search_by_words(viewer_spot, all_of(ARRAY[query_of_names(u), q.rarest]),
      q.others, q.other_hints, NULL, full_names, beginnings, filters, at_most) AS w;
  END IF;
END $$;
COMMENT ON FUNCTION search_without_stations
IS 'For search_find: shops of the brands in the regions with the other words; the total is null if it is the number of shops found.';

CREATE OR REPLACE FUNCTION search_find(
  viewer geography, u keyword_reading, misspelt text [], sample text [], filters shop_filters, at_most integer, needed integer,
  OUT ids bigint [], OUT tiers integer [], OUT distances double precision [], OUT total integer, OUT complete boolean, OUT matched boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  full_names text[] := full_names_of(u);
  named bigint[] := ARRAY[]::bigint[];
  found bigint[];
  exact record;
BEGIN
  IF u.stations IS NULL THEN
    SELECT f.* INTO found, total, complete, matched
    FROM search_without_stations(spot_at(viewer), u, misspelt, sample, filters, at_most, needed) AS f;
  ELSE
    SELECT f.* INTO named, found, total, complete, matched
    FROM search_at_stations(spot_at(viewer), u, misspelt, sample, filters, at_most, needed) AS f;
  END IF;
  IF u.regions <> '{}' AND u.names <> '{}' AND u.branch || u.rest = '{}' THEN
    full_names := branch_names(u.names);
    exact := search_named_exactly(u.brands, full_names, u.regions, query_of_names(u), filters);
    found := found || exact.ids;
    matched := matched OR exact.outside > 0;
    total := CASE WHEN total IS NOT NULL THEN least(total + exact.outside, at_most + 1) END;
  END IF;
  SELECT r.* INTO ids, tiers, distances FROM shops_ranked(viewer, found, named, full_names, beginnings_of(u), needed) AS r;
  total := coalesce(total, least((SELECT count(DISTINCT f) FROM unnest(found) AS f), at_most + 1));
END $$;
COMMENT ON FUNCTION search_find
IS 'The needed + 1 best shops of an interpreted keyword, ordered by tier, distance (metres) and id, and the number of shops, counted up to at_most + 1; matched: whether a search with filters would find some without them.';

-- 가로수길 is in no dictionary, but in the names of shops. Around those, people look for one of another brand.
CREATE OR REPLACE FUNCTION search_around_names(
  viewer geography, u keyword_reading, sample text [], filters shop_filters, at_most integer, needed integer,
  OUT ids bigint [], OUT tiers integer [], OUT distances double precision [], OUT total integer, OUT complete boolean, OUT matched boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  viewer_spot geometry := spot_at(viewer);
  named bigint[] := (
    SELECT f.ids FROM search_find(viewer, reading_of(regions => u.regions, rest => u.rest), '{}', sample, NULL, 20, 20) AS f);
  places geography[] := (places_merged(ARRAY(SELECT s.geog FROM shops AS s WHERE s.id = ANY (named) ORDER BY s.spot <<->> viewer_spot)))[:5];
  near bigint[] := search_near_places(viewer_spot, places, u.brands, u.regions, at_most, filters => filters);
BEGIN
  SELECT r.* INTO ids, tiers, distances FROM shops_ranked(viewer, near[:needed + 51], '{}', '{}', '{}', needed) AS r;
  total := least(cardinality(near), at_most + 1);
  complete := true;
  matched := near <> '{}' OR NOT (filters IS NULL) AND search_near_places(viewer_spot, places, u.brands, u.regions, 1) <> '{}';
END $$;
COMMENT ON FUNCTION search_around_names
IS 'What search_find returns, for shops of the brands within 1 km of at most five places of the 21 best shops with the other words in name or address.';

-- 남이섬 belongs to 가평, but visitors come from 춘천. A chain of stores, which are everywhere, is no landmark beside a region.
CREATE OR REPLACE FUNCTION search_beside_regions(
  viewer geography, u keyword_reading, sample text [], filters shop_filters, needed integer,
  OUT ids bigint [], OUT tiers integer [], OUT distances double precision [], OUT total integer, OUT complete boolean, OUT matched boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  named bigint[] := (SELECT f.ids FROM search_find(viewer, reading_of(u.brands, rest => u.rest), '{}', sample, NULL, 20, 20) AS f);
BEGIN
  matched := cardinality(named) BETWEEN 1 AND 20 AND NOT EXISTS (
    SELECT FROM shops AS s WHERE s.id = ANY (named) AND NOT EXISTS (
      SELECT FROM regions AS r WHERE r.id = ANY (u.regions) AND ST_DWithin(r.boundary, s.geog::geometry, 0.2)));
  named := CASE WHEN matched THEN ARRAY(SELECT s.id FROM shops AS s WHERE s.id = ANY (named) AND shop_passes(s, filters)) END;
  SELECT r.* INTO ids, tiers, distances FROM shops_ranked(viewer, named, '{}', '{}', '{}', needed) AS r;
  total := coalesce(cardinality(named), 0);
  complete := true;
END $$;
COMMENT ON FUNCTION search_beside_regions
IS 'What search_find returns, for at most twenty shops with the other words in name or address if all are within 0.2 degrees of the regions, else nothing.';
