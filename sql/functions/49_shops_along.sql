-- Search along a route: shops near a line of geodesics, ordered along the line.

-- Pieces of a route are approximated by straight lines in space. A chord of c metres is c²/8R below the surface in its middle, and
-- c²/2R·t(1 - t) at the fraction t, which along_route() adds along the normal. Its arc is longer by c³/24R². The remaining error is
-- below a millimetre for pieces of 1 km and shops within 2 km: R differs from the mean radius by 0.7 %, and the geodesic to a shop is
-- longer than its chord by 8 micrometres.
-- A chunk ends after least_chunk_m, as a shop may be near many chunks. A piece counts for at least a sixteenth of that, because
-- every shop near a chunk is compared with its pieces.
CREATE OR REPLACE FUNCTION corners_of_route(route geography, least_chunk_m double precision)
RETURNS TABLE (
  chunk bigint, at geometry, spot geometry, along_m double precision, length_m double precision,
  x double precision, y double precision, z double precision, dx double precision, dy double precision, dz double precision
)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT floor((p.weight_m - greatest(p.length_m, least_chunk_m / 16)) / least_chunk_m)::bigint,
    p.at, p.spot, p.along_m, p.length_m, p.x + p.dx / 2, p.y + p.dy / 2, p.z + p.dz / 2, p.dx, p.dy, p.dz
  FROM (
    SELECT m.*, sum(m.length_m) OVER w - m.length_m AS along_m, sum(greatest(m.length_m, least_chunk_m / 16)) OVER w AS weight_m
    FROM (
      SELECT d.number, d.at, d.spot, d.x, d.y, d.z, d.dx, d.dy, d.dz, sqrt(d.chord2) * (1 + d.chord2 / 9.742e14) AS length_m
      FROM (
        SELECT e.*, e.dx * e.dx + e.dy * e.dy + e.dz * e.dz AS chord2
        FROM (
          SELECT n.*, coalesce(lead(n.x) OVER w - n.x, 0) AS dx, coalesce(lead(n.y) OVER w - n.y, 0) AS dy,
            coalesce(lead(n.z) OVER w - n.z, 0) AS dz
          FROM (
            SELECT c.number, c.at, c.spot, ST_X(c.spot) AS x, ST_Y(c.spot) AS y, ST_Z(c.spot) AS z
            FROM geodesic_corners(route::geometry, 1000) AS c
            OFFSET 0
          ) AS n
          WINDOW w AS (ORDER BY n.number)
        ) AS e
        OFFSET 0
      ) AS d
      OFFSET 0
    ) AS m
    WINDOW w AS (ORDER BY m.number)
    OFFSET 0
  ) AS p
$$;
COMMENT ON FUNCTION corners_of_route(geography, double precision)
IS 'The corners of a route, at most 1 km apart, in numbered chunks of at most 16: in degrees, along the route and in space, and of the piece that begins there the length, the middle and the chord; 0 at the end.';

-- The index is searched with a box for each chunk, and the distances of the shops to its chords are exact to 2 cm. They determine
-- the chunks that a shop may be nearest to; its nearest point is computed from the pieces of these chunks whose middle is near enough.
-- Given candidates are matched with chunks by a grid in space instead, whose cells are not smaller than a chunk. Lines and lists are
-- aggregated from sorted rows, which is faster than sorting in each aggregate. The line of a chunk ends where the next one begins. If
-- the limit of examined shops is reached within a chunk, the chunk counts only if it is the first.
CREATE OR REPLACE FUNCTION passages_along(
  route geography, distance_m double precision, candidates bigint [], brand_ids bigint [], filters shop_filters, most integer,
  OUT ids bigint [], OUT along_m double precision [], OUT off_m double precision [], OUT truncated boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_memoize = off AS $$
DECLARE
  chunk_m CONSTANT double precision := greatest(200, 3 * distance_m);
  -- a chunk is longer by at most one piece
  cell_m CONSTANT double precision := chunk_m + 1000 + 2 * (distance_m + 1);
BEGIN
  WITH piece AS MATERIALIZED (
    SELECT * FROM corners_of_route(route, chunk_m)
  ),
  chunk AS MATERIALIZED (
    SELECT q.chunk, q.line, CASE WHEN candidates IS NULL THEN boxes_along(q.corners, q.length_m, distance_m + 1) END AS boxes
    FROM (
      SELECT g.chunk, g.length_m,
        ST_AddPoint(g.line, coalesce(lead(ST_StartPoint(g.line)) OVER w, ST_EndPoint(g.line))) AS line,
        ST_AddPoint(g.corners, coalesce(lead(ST_StartPoint(g.corners)) OVER w, ST_EndPoint(g.corners))) AS corners
      FROM (
        SELECT p.chunk, ST_MakeLine(p.spot) AS line, ST_MakeLine(p.at) AS corners, sum(p.length_m) AS length_m
        FROM (SELECT i.chunk, i.spot, i.at, i.length_m FROM piece AS i ORDER BY i.chunk, i.along_m) AS p
        GROUP BY p.chunk
      ) AS g
      WINDOW w AS (ORDER BY g.chunk)
      OFFSET 0
    ) AS q
    ORDER BY q.chunk
  ),
  cell AS MATERIALIZED (
    SELECT c.chunk, c.line, c.box, x.n AS x, y.n AS y, z.n AS z
    FROM (SELECT h.chunk, h.line, ST_Expand(h.line, distance_m + 1) AS box FROM chunk AS h OFFSET 0) AS c
    CROSS JOIN LATERAL generate_series(floor(ST_XMin(c.box) / cell_m)::integer, floor(ST_XMax(c.box) / cell_m)::integer) AS x (n)
    CROSS JOIN LATERAL generate_series(floor(ST_YMin(c.box) / cell_m)::integer, floor(ST_YMax(c.box) / cell_m)::integer) AS y (n)
    CROSS JOIN LATERAL generate_series(floor(ST_ZMin(c.box) / cell_m)::integer, floor(ST_ZMax(c.box) / cell_m)::integer) AS z (n)
    WHERE candidates IS NOT NULL
  ),
  candidate AS MATERIALIZED (
    SELECT s.id, s.spot, floor(ST_X(s.spot) / cell_m)::integer AS x, floor(ST_Y(s.spot) / cell_m)::integer AS y, floor(ST_Z(s.spot) / cell_m)::integer AS z
    FROM shops AS s WHERE s.id = ANY (candidates)
  ),
  examined AS MATERIALIZED (
    (
      SELECT c.chunk, s.id, s.spot,
        CASE WHEN is_wanted(s, brand_ids, filters) THEN ST_3DDistance(s.spot, c.line) END AS chord_m
      FROM (SELECT h.chunk, h.line, unnest(h.boxes) AS box FROM chunk AS h OFFSET 0) AS c
      INNER JOIN shops AS s ON s.geog::geometry(POINT, 4326) && c.box AND s.status <> 'CLOSED'
      LIMIT most + 1
    )
    UNION ALL
    (
      SELECT c.chunk, s.id, s.spot, ST_3DDistance(s.spot, c.line) AS chord_m
      FROM cell AS c INNER JOIN candidate AS s ON s.x = c.x AND s.y = c.y AND s.z = c.z AND s.spot &&& c.box
      ORDER BY c.chunk LIMIT most + 1
    )
  ),
  cut AS MATERIALIZED (
    SELECT CASE WHEN count(*) > most THEN max(e.chunk) END AS chunk FROM examined AS e
  ),
  near AS MATERIALIZED (
    SELECT n.*, ST_X(n.spot) AS x, ST_Y(n.spot) AS y, ST_Z(n.spot) AS z
    FROM (
      SELECT e.*, min(e.chord_m) OVER (PARTITION BY e.id) AS least_m
      FROM examined AS e CROSS JOIN cut AS c
      WHERE (c.chunk IS NULL OR e.chunk < c.chunk OR c.chunk = (SELECT min(p.chunk) FROM piece AS p)) AND e.chord_m <= distance_m + 0.1
    ) AS n
    WHERE n.chord_m <= n.least_m + 0.1
  ),
  -- the nearest point, the first of equal ones: hundredths of millimetres off and millimetres along, combined to one number
  best AS (
    SELECT f.id, min((distance_rank(f.off_m)::bigint << 34) + round(f.along_m * 1000)::bigint) AS passage
    FROM (
      SELECT t.id, t.along_m + t.t * t.length_m AS along_m,
        sqrt(greatest(0, t.rx * t.rx + t.ry * t.ry + t.rz * t.rz
          - 2 * t.sag * (t.rx * t.x + t.ry * t.y + t.rz * t.z) / 6371000 + t.sag * t.sag)) AS off_m
      FROM (
        SELECT d.id, d.along_m, d.length_m, d.t, d.x, d.y, d.z, d.ex - (d.t - 0.5) * d.dx AS rx, d.ey - (d.t - 0.5) * d.dy AS ry, d.ez - (d.t - 0.5) * d.dz AS rz,
          d.length_m * d.length_m * d.t * (1 - d.t) / 12742000 AS sag
        FROM (
          SELECT n.id, n.x, n.y, n.z, p.along_m, p.length_m, p.dx, p.dy, p.dz,
            n.x - p.x AS ex, n.y - p.y AS ey, n.z - p.z AS ez,
            least(1, greatest(0, 0.5 + coalesce(
              ((n.x - p.x) * p.dx + (n.y - p.y) * p.dy + (n.z - p.z) * p.dz) / nullif(p.dx * p.dx + p.dy * p.dy + p.dz * p.dz, 0), 0))) AS t
          FROM near AS n INNER JOIN piece AS p
            ON p.chunk = n.chunk
            AND (n.x - p.x) * (n.x - p.x) + (n.y - p.y) * (n.y - p.y) + (n.z - p.z) * (n.z - p.z)
            <= (n.least_m + p.length_m / 2 + 0.2) * (n.least_m + p.length_m / 2 + 0.2)
          OFFSET 0
        ) AS d
        OFFSET 0
      ) AS t
      OFFSET 0
    ) AS f
    WHERE f.off_m <= distance_m
    GROUP BY f.id
  )
  SELECT array_agg(q.id), array_agg(q.along / 1000::double precision), array_agg(q.off / 100000::double precision),
    (SELECT c.chunk IS NOT NULL FROM cut AS c)
  INTO ids, along_m, off_m, truncated
  FROM (
    SELECT b.id, b.passage & ((1::bigint << 34) - 1) AS along, b.passage >> 34 AS off FROM best AS b ORDER BY along, b.id
  ) AS q;
END $$;
COMMENT ON FUNCTION passages_along IS 'Shops within distance_m of a route, those that pass or, unless null, the candidates: ids in its order, and in metres how far along and off the route; of a route with more than `most` pairs of a chunk and a shop only the beginning counts (truncated).';

CREATE OR REPLACE FUNCTION along_route(
  route geography, distance_m double precision, brand_ids bigint [], filters shop_filters, most_examined integer,
  OUT ids bigint [], OUT along_m double precision [], OUT off_m double precision [], OUT truncated boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  -- far from the route, most pairs are near, and a near pair costs several times as much
  most CONSTANT integer := CASE WHEN distance_m > 500 THEN most_examined * 2 / 3 ELSE most_examined END;
  few bigint[];
BEGIN
  SELECT p.* INTO ids, along_m, off_m, truncated FROM passages_along(route, distance_m, NULL, brand_ids, filters, most) AS p;
  IF truncated THEN
    few := shops_of_few(brand_ids, filters);
  END IF;
  IF few IS NOT NULL THEN
    SELECT p.* INTO ids, along_m, off_m, truncated FROM passages_along(route, distance_m, few, NULL, NULL, most) AS p;
  END IF;
END $$;
COMMENT ON FUNCTION along_route IS 'Shops within distance_m of a route that pass: ids in its order, and in metres how far along and off the route; of a route with more than most_examined pairs of a chunk and a shop only the beginning counts (truncated), unless the brands have few shops.';


-- Runs as the owner of the table, which analysts cannot read (see shops_within).
CREATE OR REPLACE FUNCTION shops_along(route geography, distance_m double precision)
RETURNS TABLE (shop_id bigint, along_m double precision, off_m double precision)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.* FROM along_route(route, distance_m, NULL, NULL, NULL) AS a
  CROSS JOIN LATERAL unnest(a.ids, a.along_m, a.off_m) AS t
$$;
COMMENT ON FUNCTION shops_along(geography, double precision)
IS 'Shops that are not closed within distance_m (at most 2000) of a route, in its order, with the distance along the route to the point nearest to the shop, and the distance from that point, exact to a millimetre on the spheroid.';
REVOKE ALL ON FUNCTION shops_along(geography, double precision) FROM public;

CREATE OR REPLACE FUNCTION list_shops_along(
  route geography, distance_m double precision, user_lon double precision, user_lat double precision,
  brand_ids bigint [], all_brands boolean, filters shop_filters, sort text, origin text,
  at_most integer, page_size integer, page_offset integer, lang text DEFAULT NULL,
  member bigint DEFAULT NULL, session bigint DEFAULT NULL, most_examined integer DEFAULT 18000,
  OUT body text, OUT problem text
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  a record;
  total integer;
BEGIN
  IF session IS NOT NULL AND NOT session_is_live(session, member) THEN
    RETURN;
  END IF;
  -- lengths on the sphere are fast to compute and deviate by less than 0.6 %
  IF ST_Length(route, false) > 4970000 AND ST_Length(route) > 5000000 THEN
    problem := 'too long';
    RETURN;
  END IF;
  SELECT * INTO a FROM along_route(route, distance_m, wanted_brands(brand_ids, all_brands), filters, most_examined);
  total := coalesce(cardinality(a.ids), 0);
  body := list_text(least(total, at_most), total > at_most OR a.truncated, shops_json(
    a.ids[:at_most], a.along_m[:at_most],
    ARRAY(
      SELECT ',"along_m":' || metres(t.along_m) || ',"off_m":' || metres(t.off_m)
      FROM unnest(a.along_m[:at_most], a.off_m[:at_most]) WITH ORDINALITY AS t (along_m, off_m, place) ORDER BY t.place
    ),
    NULL, point_at(user_lon, user_lat), origin, member, sort, page_size, page_offset, lang));
END $$;
COMMENT ON FUNCTION list_shops_along IS 'Shops of the brands (null: the representative ones, or all) within distance_m of a route that pass the filters, as list_text, with along_m and off_m; the first at_most in the order of the route, or those by rating, reviews or favorites. A problem when the route is longer than 5000 km; both null when the session is not live.';
