-- Vector tiles of shops. Every test of position uses two whole numbers, the column and row of a shop in the
-- grid of EPSG:3857 with 2^32 squares a side: the tile of zoom level z is their first z bits, the unit within a tile
-- of 4096 units the next 12, the cell the first 6 of these. So squares are half-open and nest, and each shop lies in
-- exactly one tile and one cell of every zoom level.

CREATE OR REPLACE FUNCTION grid_column(lon double precision) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(floor((lon + 180) / 360 * 4294967296), 4294967295)::bigint;
COMMENT ON FUNCTION grid_column(double precision)
IS 'Column of a longitude among 2^32 from 180 degrees west; 180 degrees east counts to the last one.';

CREATE OR REPLACE FUNCTION grid_row(lat double precision) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN greatest(0, least(floor((0.5 - asinh(tan(radians(lat))) / (2 * pi())) * 4294967296), 4294967295))::bigint;
COMMENT ON FUNCTION grid_row(double precision)
IS 'Row of a latitude among 2^32 of spherical Mercator (EPSG:3857) from the north; beyond 85.05 degrees the outermost one.';

-- A billionth of a degree wider than the tile, against rounding; the exact test uses the grid.
CREATE OR REPLACE FUNCTION tile_box(z integer, x integer, y integer) RETURNS geometry
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ST_MakeEnvelope(
  x / (2.0::double precision ^ z) * 360 - 180 - 1e-9,
  CASE WHEN y + 1 = 1 << z THEN -90 ELSE degrees(atan(sinh(pi() * (1 - 2 * (y + 1) / (2.0::double precision ^ z))))) - 1e-9 END,
  (x + 1) / (2.0::double precision ^ z) * 360 - 180 + 1e-9,
  CASE WHEN y = 0 THEN 90 ELSE degrees(atan(sinh(pi() * (1 - 2 * y / (2.0::double precision ^ z))))) + 1e-9 END,
  4326
);
COMMENT ON FUNCTION tile_box(integer, integer, integer)
IS 'Box in degrees that holds every shop of a tile; the outermost rows of tiles reach to the poles.';

CREATE OR REPLACE FUNCTION selected_brands(selection bigint) RETURNS bigint []
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE selection
  WHEN 0 THEN NULL
  WHEN -1 THEN ARRAY(SELECT d.id FROM default_brands AS d)
  ELSE brand_family(selection)
END;
COMMENT ON FUNCTION selected_brands(bigint)
IS 'Brands of a selection: a brand with its sub-brands, -1 the representative ones; 0 is every shop, hence null.';

-- OFFSET 0 keeps the two numbers from being computed again at each use.
CREATE OR REPLACE FUNCTION shops_in_tile(z integer, x integer, y integer, brand_ids bigint [])
RETURNS TABLE (
  shop_id bigint, brand_id bigint, place_name text, status text, review_cnt integer, star_rating_sum integer,
  favorite_cnt integer, grid_x bigint, grid_y bigint
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT s.id, s.brand_id, s.place_name, s.status, s.review_cnt, s.star_rating_sum, s.favorite_cnt, q.grid_x, q.grid_y
  FROM public.shops AS s
  CROSS JOIN LATERAL (
    SELECT public.grid_column(public.ST_X(s.geog::public.geometry)) AS grid_x,
      public.grid_row(public.ST_Y(s.geog::public.geometry)) AS grid_y
    OFFSET 0
  ) AS q
  WHERE s.status <> 'CLOSED' AND s.geog::public.geometry(POINT, 4326) && public.tile_box(z, x, y)
    AND q.grid_x >> (32 - z) = x AND q.grid_y >> (32 - z) = y
    AND (brand_ids IS NULL OR s.brand_id = ANY (brand_ids))
$$;
COMMENT ON FUNCTION shops_in_tile(integer, integer, integer, bigint [])
IS 'Shops of a tile that are not closed, with their column and row in the grid.';

CREATE OR REPLACE FUNCTION tile_unit(grid_place double precision, z integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (floor(grid_place)::bigint >> (20 - z) & 4095)::integer;
COMMENT ON FUNCTION tile_unit(double precision, integer)
IS 'Unit, 0 to 4095 from the north-west of its tile, of a column or row in the grid.';

CREATE OR REPLACE FUNCTION mean_rating(star_rating_sum bigint, review_cnt bigint) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN review_cnt = 0 THEN 0 ELSE (20 * star_rating_sum + review_cnt) / (2 * review_cnt) / 10::double precision END;
COMMENT ON FUNCTION mean_rating(bigint, bigint) IS 'Average rating in tenths, half up; 0 without reviews.';

-- The bits in which either pair differs; the half keeps the logarithm off the whole numbers, where it is not exact.
CREATE OR REPLACE FUNCTION expansion_zoom(west bigint, east bigint, north bigint, south bigint) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
  14 - floor(
    ln((((west | east) - (west & east) | (north | south) - (north & south)) >> 12) + 0.5::double precision)
    / ln(2::double precision)
  )
)::smallint;
COMMENT ON FUNCTION expansion_zoom(bigint, bigint, bigint, bigint)
IS 'Zoom level at which shops between these columns and rows of the grid first lie in different cells; 15, where each is shown, at the latest.';

-- PL/pgSQL caches the plan; an SQL function is planned at each call.
CREATE OR REPLACE FUNCTION shop_points_tile(z integer, x integer, y integer, brand_ids bigint []) RETURNS bytea
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT ST_AsMVT(q, 'shops', 4096, 'geom', 'feature_id')
    FROM (
      SELECT t.shop_id AS feature_id, t.shop_id, t.place_name, coalesce(b.name, '') AS brand_name, t.status,
        mean_rating(t.star_rating_sum, t.review_cnt) AS star_rating_avg, t.review_cnt, t.favorite_cnt,
        ST_MakePoint(tile_unit(t.grid_x, z), tile_unit(t.grid_y, z)) AS geom
      FROM shops_in_tile(z, x, y, brand_ids) t LEFT JOIN brands b ON b.id = t.brand_id
      ORDER BY t.shop_id
    ) q
  );
END $$;
COMMENT ON FUNCTION shop_points_tile(integer, integer, integer, bigint []) IS 'Vector tile of single shops, layer shops.';

CREATE OR REPLACE FUNCTION live_cells(z integer, x integer, y integer, brand_ids bigint [])
RETURNS TABLE (
  cell integer, place_x integer, place_y integer, expansion_zoom smallint, shop_cnt integer,
  review_cnt bigint, star_rating_sum bigint, shop_id bigint
)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT tile_unit(t.grid_y, z) / 64 * 64 + tile_unit(t.grid_x, z) / 64,
    tile_unit(sum((t.grid_x >> 6)::double precision) / count(*) * 64, z),
    tile_unit(sum((t.grid_y >> 6)::double precision) / count(*) * 64, z),
    expansion_zoom(min(t.grid_x), max(t.grid_x), min(t.grid_y), max(t.grid_y)),
    count(*)::integer, sum(t.review_cnt), sum(t.star_rating_sum), CASE WHEN count(*) = 1 THEN min(t.shop_id) END
  FROM shops_in_tile(z, x, y, brand_ids) AS t
  GROUP BY 1;
END;
COMMENT ON FUNCTION live_cells(integer, integer, integer, bigint []) IS 'Clusters of a tile, counted now.';

CREATE OR REPLACE FUNCTION shops_tile(z integer, x integer, y integer, selection bigint) RETURNS bytea
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  tile bytea;
  brand_ids bigint [];  -- computed once: as an argument it would be inlined and computed for every shop
BEGIN
  IF z >= 15 THEN
    brand_ids := selected_brands(selection);
    tile := shop_points_tile(z, x, y, brand_ids);
  ELSIF EXISTS (SELECT FROM crowded_tiles t WHERE t.zoom = z AND t.x = shops_tile.x AND t.y = shops_tile.y) THEN
    SELECT ST_AsMVT(q, 'clusters') INTO tile
    FROM (
      SELECT c.shop_cnt, mean_rating(c.star_rating_sum, c.review_cnt) AS star_rating_avg, c.review_cnt, c.expansion_zoom,
        c.shop_id, ST_MakePoint(c.place_x, c.place_y) AS geom
      FROM tile_cells c
      WHERE c.selection = shops_tile.selection AND c.zoom = z AND c.x = shops_tile.x AND c.y = shops_tile.y
      ORDER BY c.cell
    ) q;
  ELSE
    brand_ids := selected_brands(selection);
    SELECT ST_AsMVT(q, 'clusters') INTO tile
    FROM (
      SELECT c.shop_cnt, mean_rating(c.star_rating_sum, c.review_cnt) AS star_rating_avg, c.review_cnt, c.expansion_zoom,
        c.shop_id, ST_MakePoint(c.place_x, c.place_y) AS geom
      FROM live_cells(z, x, y, brand_ids) c
      ORDER BY c.cell
    ) q;
  END IF;
  RETURN coalesce(tile, '');
END $$;
COMMENT ON FUNCTION shops_tile(integer, integer, integer, bigint)
IS 'Vector tile of a selection of shops: from zoom 15 each (layer shops), below clusters (layer clusters), counted now or, in crowded tiles, by refresh_tile_grid().';
