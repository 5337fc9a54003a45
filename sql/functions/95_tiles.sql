-- Vector tiles of shops. All positions are compared as two integers, the column and row of a shop in the grid of EPSG:3857
-- with 2^32 squares per side. Their first z bits are the tile of zoom level z, the next 12 bits the unit within the tile of
-- 4096 units, and the first 6 of those the cell. So squares are half-open and nested, and each shop is in exactly one tile
-- and one cell of every zoom level.

CREATE OR REPLACE FUNCTION grid_column(lon double precision) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(floor((lon + 180) / 360 * 4294967296), 4294967295)::bigint;
COMMENT ON FUNCTION grid_column(double precision)
IS 'Column of a longitude among 2^32, from 180 degrees west; 180 degrees east belongs to the last one.';

CREATE OR REPLACE FUNCTION grid_row(lat double precision) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN greatest(0, least(floor((0.5 - asinh(tan(radians(lat))) / (2 * pi())) * 4294967296), 4294967295))::bigint;
COMMENT ON FUNCTION grid_row(double precision)
IS 'Row of a latitude among 2^32 of spherical Mercator (EPSG:3857), from the north; latitudes beyond 85.05 degrees belong to the outermost rows.';

-- A billionth of a degree wider than the tile, to allow for rounding; the exact test uses the grid.
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
IS 'Box in degrees that contains every shop of a tile; the outermost rows of tiles extend to the poles.';

CREATE OR REPLACE FUNCTION selected_brands(selection bigint) RETURNS bigint []
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE selection
  WHEN 0 THEN NULL
  WHEN -1 THEN ARRAY(SELECT d.id FROM default_brands AS d)
  ELSE brand_family(selection)
END;
COMMENT ON FUNCTION selected_brands(bigint)
IS 'Brands of a selection: a brand with its sub-brands, or the representative ones for -1; null, every shop, for 0.';

CREATE OR REPLACE FUNCTION is_in_tile(grid_x bigint, grid_y bigint, z integer, x integer, y integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN grid_x >> (32 - z) = x AND grid_y >> (32 - z) = y;
COMMENT ON FUNCTION is_in_tile(bigint, bigint, integer, integer, integer) IS 'Whether a square of the grid, by column and row, is in a tile.';

CREATE OR REPLACE FUNCTION tile_unit(grid_place double precision, z integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (floor(grid_place)::bigint >> (20 - z) & 4095)::integer;
COMMENT ON FUNCTION tile_unit(double precision, integer)
IS 'Unit within its tile, 0 to 4095 from the north-west, of a column or row of the grid.';

CREATE OR REPLACE FUNCTION tile_cell(grid_x bigint, grid_y bigint, z integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN tile_unit(grid_y, z) / 64 * 64 + tile_unit(grid_x, z) / 64;
COMMENT ON FUNCTION tile_cell(bigint, bigint, integer)
IS 'Cell within its tile, of 64 rows of 64 from the north-west, of a square of the grid.';

-- OFFSET 0 prevents column and row from being computed again at each use.
CREATE OR REPLACE FUNCTION shops_in_tile(
  z integer, x integer, y integer, brand_ids bigint [], filters shop_filters DEFAULT NULL
)
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
    AND public.is_in_tile(q.grid_x, q.grid_y, z, x, y) AND public.is_wanted(s, brand_ids, filters)
$$;
COMMENT ON FUNCTION shops_in_tile(integer, integer, integer, bigint [], shop_filters)
IS 'Shops of a tile that are not closed and pass the filters, with their column and row in the grid.';

CREATE OR REPLACE FUNCTION mean_rating(star_rating_sum bigint, review_cnt bigint) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN review_cnt = 0 THEN 0 ELSE (20 * star_rating_sum + review_cnt) / (2 * review_cnt) / 10::double precision END;
COMMENT ON FUNCTION mean_rating(bigint, bigint) IS 'Average rating in tenths, rounded half up; 0 without reviews.';

-- Finds the highest bit in which either pair differs. The half avoids logarithms of powers of two, which may be inexact.
CREATE OR REPLACE FUNCTION expansion_zoom(west bigint, east bigint, north bigint, south bigint) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
  14 - floor(
    ln((((west | east) - (west & east) | (north | south) - (north & south)) >> 12) + 0.5::double precision)
    / ln(2::double precision)
  )
)::smallint;
COMMENT ON FUNCTION expansion_zoom(bigint, bigint, bigint, bigint)
IS 'First zoom level at which shops between these columns and rows of the grid are in different cells; at most 15, which shows each shop.';

-- PL/pgSQL caches the plan; an SQL function is planned at each call.
CREATE OR REPLACE FUNCTION shop_points_tile(
  z integer, x integer, y integer, brand_ids bigint [], filters shop_filters DEFAULT NULL
) RETURNS bytea
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (
    SELECT ST_AsMVT(q, 'shops', 4096, 'geom', 'feature_id')
    FROM (
      SELECT t.shop_id AS feature_id, t.shop_id, t.place_name, coalesce(b.name, '') AS brand_name, t.status,
        mean_rating(t.star_rating_sum, t.review_cnt) AS star_rating_avg, t.review_cnt, t.favorite_cnt,
        ST_MakePoint(tile_unit(t.grid_x, z), tile_unit(t.grid_y, z)) AS geom
      FROM shops_in_tile(z, x, y, brand_ids, filters) t LEFT JOIN brands b ON b.id = t.brand_id
      ORDER BY t.shop_id
    ) q
  );
END $$;
COMMENT ON FUNCTION shop_points_tile(integer, integer, integer, bigint [], shop_filters) IS 'Vector tile of single shops, layer shops.';

CREATE OR REPLACE FUNCTION live_cells(
  z integer, x integer, y integer, brand_ids bigint [], filters shop_filters DEFAULT NULL
)
RETURNS TABLE (
  cell integer, place_x integer, place_y integer, expansion_zoom smallint, shop_cnt integer,
  review_cnt bigint, star_rating_sum bigint, shop_id bigint
)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT tile_cell(t.grid_x, t.grid_y, z),
    tile_unit(sum((t.grid_x >> 6)::double precision) / count(*) * 64, z),
    tile_unit(sum((t.grid_y >> 6)::double precision) / count(*) * 64, z),
    expansion_zoom(min(t.grid_x), max(t.grid_x), min(t.grid_y), max(t.grid_y)),
    count(*)::integer, sum(t.review_cnt), sum(t.star_rating_sum), CASE WHEN count(*) = 1 THEN min(t.shop_id) END
  FROM shops_in_tile(z, x, y, brand_ids, filters) AS t
  GROUP BY 1;
END;
COMMENT ON FUNCTION live_cells(integer, integer, integer, bigint [], shop_filters) IS 'Clusters of a tile, counted live.';

CREATE OR REPLACE FUNCTION live_tile(z integer, x integer, y integer, selection bigint, filters shop_filters) RETURNS bytea
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  brand_ids bigint [] := selected_brands(selection);  -- as an argument, it would be inlined and computed for every shop
BEGIN
  RETURN (
    SELECT ST_AsMVT(q, 'clusters')
    FROM (
      SELECT c.shop_cnt, mean_rating(c.star_rating_sum, c.review_cnt) AS star_rating_avg, c.review_cnt, c.expansion_zoom,
        c.shop_id, ST_MakePoint(c.place_x, c.place_y) AS geom
      FROM live_cells(z, x, y, brand_ids, filters) c
      ORDER BY c.cell
    ) q
  );
END $$;
COMMENT ON FUNCTION live_tile(integer, integer, integer, bigint, shop_filters) IS 'Vector tile of clusters, counted live.';

-- Estimates the share of shops that pass from a random sample of table pages (drawn_pct limits the cost), and applies it to
-- the precomputed cells. The share of a cell with few sampled shops is smoothed towards that of the tile, as if ten more
-- shops had been sampled there.
CREATE OR REPLACE FUNCTION estimated_cells(
  z integer, x integer, y integer, selection bigint, filters shop_filters, drawn_pct real
)
RETURNS TABLE (
  cell integer, place_x integer, place_y integer, expansion_zoom smallint, shop_cnt integer,
  review_cnt bigint, star_rating_sum bigint
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  brand_ids bigint [] := selected_brands(selection);
BEGIN
  RETURN QUERY
  WITH drawn AS MATERIALIZED (
    SELECT tile_cell(q.grid_x, q.grid_y, z) AS drawn_cell, shop_passes(s, filters) AS passes,
      s.review_cnt AS reviews, s.star_rating_sum AS stars
    FROM shops AS s TABLESAMPLE SYSTEM (drawn_pct) REPEATABLE (0)
    CROSS JOIN LATERAL (
      SELECT grid_column(ST_X(s.geog::geometry)) AS grid_x, grid_row(ST_Y(s.geog::geometry)) AS grid_y OFFSET 0
    ) AS q
    WHERE s.status <> 'CLOSED' AND s.geog::geometry(POINT, 4326) && tile_box(z, x, y)
      AND is_in_tile(q.grid_x, q.grid_y, z, x, y)
      AND (brand_ids IS NULL OR s.brand_id = ANY (brand_ids))
  ),
  counted AS (
    SELECT d.drawn_cell, count(*) AS drawn, count(*) FILTER (WHERE d.passes) AS passing,
      coalesce(sum(d.reviews) FILTER (WHERE d.passes), 0) AS reviews, coalesce(sum(d.stars) FILTER (WHERE d.passes), 0) AS stars
    FROM drawn AS d GROUP BY 1
  ),
  tile AS (
    SELECT sum(k.passing)::float8 / sum(k.drawn) AS share, sum(k.reviews)::float8 / nullif(sum(k.passing), 0) AS reviews,
      sum(k.stars)::float8 / nullif(sum(k.passing), 0) AS stars
    FROM counted AS k
  ),
  estimated AS (
    SELECT c.cell, c.place_x, c.place_y, c.expansion_zoom,
      round(c.shop_cnt * (coalesce(k.passing, 0) + 10 * t.share) / (coalesce(k.drawn, 0) + 10))::integer AS shop_cnt,
      (coalesce(k.reviews, 0) + t.reviews) / (coalesce(k.passing, 0) + 1) AS reviews,
      (coalesce(k.stars, 0) + t.stars) / (coalesce(k.passing, 0) + 1) AS stars
    FROM tile_cells AS c CROSS JOIN tile AS t LEFT JOIN counted AS k ON k.drawn_cell = c.cell
    WHERE c.selection = estimated_cells.selection AND c.zoom = z AND c.x = estimated_cells.x AND c.y = estimated_cells.y
  )
  SELECT e.cell::integer, e.place_x::integer, e.place_y::integer, e.expansion_zoom, e.shop_cnt,
    round(e.shop_cnt * e.reviews)::bigint, round(e.shop_cnt * e.stars)::bigint
  FROM estimated AS e WHERE e.shop_cnt > 0;
END $$;
COMMENT ON FUNCTION estimated_cells(integer, integer, integer, bigint, shop_filters, real)
IS 'Clusters of a crowded tile with the estimated number of shops that pass the filters, from a sample of drawn_pct percent of all shops.';

-- Filtered counts are not precomputed. A crowded tile of at most most_examined shops is counted live; from a larger one,
-- that many shops are sampled, or fewer if most sampled shops would be in other tiles.
CREATE OR REPLACE FUNCTION filtered_tile(
  z integer, x integer, y integer, selection bigint, filters shop_filters, most_examined integer
) RETURNS bytea
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  tile bytea;
  shops_here bigint;
  all_shops bigint;
BEGIN
  SELECT sum(c.shop_cnt) INTO shops_here FROM tile_cells c
  WHERE c.selection = 0 AND c.zoom = z AND c.x = filtered_tile.x AND c.y = filtered_tile.y;
  IF shops_here <= most_examined THEN
    RETURN live_tile(z, x, y, selection, filters);
  END IF;
  SELECT sum(c.shop_cnt) INTO all_shops FROM tile_cells c WHERE c.selection = 0 AND c.zoom = 0;
  SELECT ST_AsMVT(q, 'clusters') INTO tile
  FROM (
    SELECT c.shop_cnt, mean_rating(c.star_rating_sum, c.review_cnt) AS star_rating_avg, c.review_cnt, c.expansion_zoom,
      true AS approximate, ST_MakePoint(c.place_x, c.place_y) AS geom
    FROM estimated_cells(z, x, y, selection, filters,
      (100 * least(most_examined::float8 / shops_here, 5 * most_examined::float8 / all_shops, 1))::real) c
    ORDER BY c.cell
  ) q;
  RETURN coalesce(tile, '');
END $$;
COMMENT ON FUNCTION filtered_tile(integer, integer, integer, bigint, shop_filters, integer)
IS 'Clusters of a crowded tile of the shops that pass the filters; estimated, and marked approximate, above most_examined shops.';

CREATE OR REPLACE FUNCTION shops_tile(
  z integer, x integer, y integer, selection bigint, filters shop_filters DEFAULT NULL, most_examined integer DEFAULT 10000
) RETURNS bytea
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  tile bytea;
BEGIN
  IF z >= 15 THEN
    tile := shop_points_tile(z, x, y, selected_brands(selection), filters);
  ELSIF NOT EXISTS (SELECT FROM crowded_tiles t WHERE t.zoom = z AND t.x = shops_tile.x AND t.y = shops_tile.y) THEN
    tile := live_tile(z, x, y, selection, filters);
  ELSIF filters IS NULL THEN
    SELECT ST_AsMVT(q, 'clusters') INTO tile
    FROM (
      SELECT c.shop_cnt, mean_rating(c.star_rating_sum, c.review_cnt) AS star_rating_avg, c.review_cnt, c.expansion_zoom,
        c.shop_id, ST_MakePoint(c.place_x, c.place_y) AS geom
      FROM tile_cells c
      WHERE c.selection = shops_tile.selection AND c.zoom = z AND c.x = shops_tile.x AND c.y = shops_tile.y
      ORDER BY c.cell
    ) q;
  ELSE
    tile := filtered_tile(z, x, y, selection, filters, most_examined);
  END IF;
  RETURN coalesce(tile, '');
END $$;
COMMENT ON FUNCTION shops_tile(integer, integer, integer, bigint, shop_filters, integer)
IS 'Vector tile of a selection of shops that pass the filters: single shops from zoom 15 (layer shops), clusters below (layer clusters). Clusters of crowded tiles are those of refresh_tile_grid() without filters, and approximate with filters above most_examined shops; all others are counted live.';
