-- Objects that the feature servers need in addition to geoshops' tables.
DROP SCHEMA IF EXISTS bench_peers CASCADE;
CREATE SCHEMA bench_peers;

-- The two servers of boxes cannot join tables, so brand and counters are copied.
CREATE TABLE bench_peers.shops AS
SELECT
  s.id, s.place_name, s.geog::geometry(POINT, 4326) AS geom,
  CASE WHEN s.road_address = '' THEN s.lot_address ELSE s.road_address END AS place_address,
  s.status, b.name AS brand_name, b.image_path AS file_path,
  CASE WHEN s.review_cnt = 0 THEN 0 ELSE round(s.star_rating_sum::numeric / s.review_cnt, 1)::float8 END AS star_rating_avg,
  s.review_cnt, s.favorite_cnt
FROM shops AS s INNER JOIN brands AS b ON b.id = s.brand_id
WHERE b.is_representative AND s.status <> 'CLOSED';
ALTER TABLE bench_peers.shops ADD PRIMARY KEY (id);
CREATE INDEX ON bench_peers.shops USING gist (geom);

CREATE FUNCTION bench_peers.shops_within(
  maplng double precision, maplat double precision, userlng double precision, userlat double precision,
  radius double precision
) RETURNS TABLE (
  id bigint, place_name text, geom geometry (POINT, 4326), place_address text, status text, brand_name text,
  file_path text, distance_m double precision, star_rating_avg double precision, review_cnt integer, favorite_cnt integer
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT s.id, s.place_name, s.geog::geometry,
    CASE WHEN s.road_address = '' THEN s.lot_address ELSE s.road_address END,
    s.status, b.name, b.image_path,
    ST_Distance(s.geog, ST_SetSRID(ST_MakePoint(userlng, userlat), 4326)::geography),
    CASE WHEN s.review_cnt = 0 THEN 0 ELSE round(s.star_rating_sum::numeric / s.review_cnt, 1)::float8 END,
    s.review_cnt, s.favorite_cnt
  FROM public.shops s JOIN public.brands b ON b.id = s.brand_id
  WHERE b.is_representative AND s.status <> 'CLOSED'
    AND ST_DWithin(s.geog, ST_SetSRID(ST_MakePoint(maplng, maplat), 4326)::geography, radius)
$$;
ANALYZE bench_peers.shops;
