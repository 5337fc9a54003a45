-- Shops as features of OGC API: pages by key, each one short statement, so that a reader of a million shops costs
-- no more memory than a page and no more time for the last page than for the first.

CREATE OR REPLACE FUNCTION ogc_features(ids bigint []) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(string_agg(
    json_build_object(
      'type', 'Feature',
      'id', s.id,
      'geometry', json_build_object(
        'type', 'Point',
        'coordinates', json_build_array(
          trim_scale(round(ST_X(s.geog::geometry)::numeric, 7)), trim_scale(round(ST_Y(s.geog::geometry)::numeric, 7))
        )
      ),
      'properties', json_build_object(
        'place_name', s.place_name,
        'brand_name', b.name,
        'place_address', CASE WHEN s.road_address = '' THEN s.lot_address ELSE s.road_address END,
        'sido', r1.name,
        'sigungu', r2.name,
        'dong', r3.name,
        'status', s.status,
        'star_rating_avg', mean_rating(s.star_rating_sum, s.review_cnt),
        'review_cnt', s.review_cnt,
        'favorite_cnt', s.favorite_cnt,
        'phone', s.phone,
        'homepage', s.homepage,
        'opened_on', s.opened_on
      )
    )::text, ',' ORDER BY s.id
  ), '')
  FROM shops AS s
  LEFT JOIN brands AS b ON b.id = s.brand_id
  LEFT JOIN regions AS r1 ON r1.id = s.sido_id
  LEFT JOIN regions AS r2 ON r2.id = s.sigungu_id
  LEFT JOIN regions AS r3 ON r3.id = s.dong_id
  WHERE s.id = ANY (ids);
END;
COMMENT ON FUNCTION ogc_features(bigint []) IS 'Shops as GeoJSON features in the order of their ids, separated by commas.';

-- EXECUTE, because the plan must know the box: a small one goes by place, a large one by key.
CREATE OR REPLACE FUNCTION ogc_page(
  box double precision [], after_id bigint, page_size integer,
  OUT features text, OUT returned integer, OUT last_id bigint, OUT more boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  ids bigint [];
BEGIN
  IF box IS NULL THEN
    ids := ARRAY(
      SELECT s.id FROM shops s WHERE s.id > after_id AND s.status <> 'CLOSED' ORDER BY s.id LIMIT page_size + 1
    );
  ELSE
    EXECUTE 'SELECT ARRAY(SELECT s.id FROM shops_in_box($1, $2, $3, $4) s WHERE s.id > $5 ORDER BY s.id LIMIT $6)'
    INTO ids USING box[1], box[2], box[3], box[4], after_id, page_size + 1;
  END IF;
  more := cardinality(ids) > page_size;
  ids := ids[1:page_size];
  returned := cardinality(ids);
  last_id := ids[returned];
  features := ogc_features(ids);
END $$;
COMMENT ON FUNCTION ogc_page(double precision [], bigint, integer)
IS 'The first shops after an id that are not closed, in a box (west, south, east, north in degrees) or everywhere, and whether more follow.';

CREATE OR REPLACE FUNCTION ogc_count(box double precision [], at_most integer) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  found integer;
BEGIN
  IF box IS NULL THEN
    SELECT count(*) INTO found FROM (SELECT FROM shops s WHERE s.status <> 'CLOSED' LIMIT at_most + 1) q;
  ELSE
    EXECUTE 'SELECT count(*) FROM (SELECT FROM shops_in_box($1, $2, $3, $4) LIMIT $5) q'
    INTO found USING box[1], box[2], box[3], box[4], at_most + 1;
  END IF;
  RETURN CASE WHEN found <= at_most THEN found END;
END $$;
COMMENT ON FUNCTION ogc_count(double precision [], integer)
IS 'Number of shops in a box or everywhere that are not closed; null when there are more than at_most.';

-- Nearest-first to the four edges of the world: four steps down the index instead of a walk over all shops.
CREATE OR REPLACE FUNCTION ogc_extent() RETURNS double precision []
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  WITH edges AS (
    SELECT e.n, (
      SELECT s.geog::geometry(POINT, 4326) FROM shops s WHERE s.status <> 'CLOSED'
      ORDER BY s.geog::geometry(POINT, 4326) <-> e.edge LIMIT 1
    ) AS spot
    FROM (VALUES
      (1, 'SRID=4326;LINESTRING(-180 -90, -180 90)'::geometry), (2, 'SRID=4326;LINESTRING(-180 -90, 180 -90)'::geometry),
      (3, 'SRID=4326;LINESTRING(180 -90, 180 90)'::geometry), (4, 'SRID=4326;LINESTRING(-180 90, 180 90)'::geometry)
    ) AS e (n, edge)
  )
  SELECT array_agg(CASE WHEN n % 2 = 1 THEN ST_X(spot) ELSE ST_Y(spot) END ORDER BY n) FROM edges WHERE spot IS NOT NULL
$$;
COMMENT ON FUNCTION ogc_extent() IS 'West, south, east and north of all shops that are not closed; null without any.';
