-- Precomputes the cells of crowded tiles: those of the highest zoom level from shops, each lower level from the one above.

CREATE OR REPLACE VIEW tile_selections AS
SELECT b.id AS brand_id, b.id AS selection FROM brands AS b
UNION ALL
SELECT b.id, b.parent_id FROM brands AS b WHERE b.parent_id IS NOT NULL
UNION ALL
SELECT d.id, -1 FROM default_brands AS d
UNION ALL
SELECT b.id, 0 FROM brands AS b
UNION ALL
SELECT 0, 0;
COMMENT ON VIEW tile_selections IS 'The tile selections to which the shops of a brand belong';
COMMENT ON COLUMN tile_selections.brand_id IS 'Brand of the shops; 0 for none';
COMMENT ON COLUMN tile_selections.selection IS 'A brand with its sub-brands; 0 for every shop, -1 for the representative brands';

CREATE OR REPLACE FUNCTION find_crowded_tiles(crowded_from integer)
RETURNS TABLE (zoom smallint, x integer, y integer)
LANGUAGE sql STABLE
BEGIN ATOMIC
  WITH finest AS MATERIALIZED (
    SELECT grid_column(ST_X(s.geog::geometry)) >> 18 AS x, grid_row(ST_Y(s.geog::geometry)) >> 18 AS y, count(*) AS shop_cnt
    FROM shops AS s WHERE s.status <> 'CLOSED' GROUP BY 1, 2
  )
  SELECT g.zoom::smallint, (f.x >> (14 - g.zoom))::integer, (f.y >> (14 - g.zoom))::integer
  FROM finest AS f CROSS JOIN generate_series(0, 14) AS g (zoom)
  GROUP BY 1, 2, 3 HAVING sum(f.shop_cnt) >= crowded_from;
END;
COMMENT ON FUNCTION find_crowded_tiles(integer) IS 'Tiles below zoom 15 with at least that many shops that are not closed.';

-- Means are stored as sums of integers below 2^53, which are exact in double precision and faster than numeric.
CREATE OR REPLACE FUNCTION count_cells_of_brands(z integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  CREATE TEMPORARY TABLE brand_cells ON COMMIT DROP AS
  SELECT coalesce(s.brand_id, 0) AS brand_id, s.u >> (26 - z) AS cell_u, s.v >> (26 - z) AS cell_v,
    sum((s.u >> 6)::float8) AS sum_u, sum((s.v >> 6)::float8) AS sum_v,
    min(s.u) AS west, max(s.u) AS east, min(s.v) AS north, max(s.v) AS south,
    count(*) AS shop_cnt, sum(s.review_cnt) AS review_cnt, sum(s.star_rating_sum) AS star_rating_sum, min(s.id) AS shop_id
  FROM (
    SELECT id, brand_id, review_cnt, star_rating_sum,
      grid_column(ST_X(geog::geometry)) AS u, grid_row(ST_Y(geog::geometry)) AS v
    FROM shops WHERE status <> 'CLOSED' OFFSET 0
  ) s
  GROUP BY 1, 2, 3;
END $$;
COMMENT ON FUNCTION count_cells_of_brands(integer) IS 'Counts shops by brand and cell of a zoom level into the temporary table brand_cells.';

CREATE OR REPLACE FUNCTION merge_cells_of_brands() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  CREATE TEMPORARY TABLE merged_cells ON COMMIT DROP AS
  SELECT brand_id, cell_u >> 1 AS cell_u, cell_v >> 1 AS cell_v, sum(sum_u) AS sum_u, sum(sum_v) AS sum_v,
    min(west) AS west, max(east) AS east, min(north) AS north, max(south) AS south,
    sum(shop_cnt)::bigint AS shop_cnt, sum(review_cnt)::bigint AS review_cnt,
    sum(star_rating_sum)::bigint AS star_rating_sum, min(shop_id) AS shop_id
  FROM brand_cells GROUP BY 1, 2, 3;
  DROP TABLE brand_cells;
  ALTER TABLE merged_cells RENAME TO brand_cells;
END $$;
COMMENT ON FUNCTION merge_cells_of_brands() IS 'Merges the temporary table brand_cells to the next lower zoom level.';

CREATE OR REPLACE FUNCTION collect_cells(z integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO new_cells
  SELECT s.selection, z, b.cell_u >> 6, b.cell_v >> 6, (b.cell_v & 63) * 64 + (b.cell_u & 63),
    tile_unit(sum(b.sum_u) / sum(b.shop_cnt)::float8 * 64, z), tile_unit(sum(b.sum_v) / sum(b.shop_cnt)::float8 * 64, z),
    expansion_zoom(min(b.west), max(b.east), min(b.north), max(b.south)),
    sum(b.shop_cnt), sum(b.review_cnt), sum(b.star_rating_sum), CASE WHEN sum(b.shop_cnt) = 1 THEN min(b.shop_id) END
  FROM brand_cells b
  JOIN new_tiles t ON t.zoom = z AND t.x = b.cell_u >> 6 AND t.y = b.cell_v >> 6
  JOIN tile_selections s ON s.brand_id = b.brand_id
  GROUP BY s.selection, b.cell_u, b.cell_v;
END $$;
COMMENT ON FUNCTION collect_cells(integer) IS 'Adds the clusters of crowded tiles of a zoom level to the temporary table new_cells.';

-- Readers see the old cells until the commit. Unchanged cells are not written. Sorting and hashing millions of cells needs
-- the memory. The lock blocks a concurrent refresh; the service does not mistake it for a locked table.
CREATE OR REPLACE FUNCTION refresh_tile_grid(moment timestamptz, crowded_from integer DEFAULT 2000) RETURNS integer
LANGUAGE plpgsql SET work_mem = '256MB' AS $$
DECLARE
  finest integer;
  removed integer;
  added integer;
BEGIN
  LOCK TABLE crowded_tiles IN SHARE UPDATE EXCLUSIVE MODE;
  CREATE TEMPORARY TABLE new_tiles AS SELECT * FROM find_crowded_tiles(crowded_from);
  CREATE TEMPORARY TABLE new_cells (LIKE tile_cells);
  SELECT max(zoom) INTO finest FROM new_tiles;
  IF finest IS NOT NULL THEN
    PERFORM count_cells_of_brands(finest);
    FOR z IN REVERSE finest..0 LOOP
      PERFORM collect_cells(z);
      PERFORM merge_cells_of_brands();
    END LOOP;
    DROP TABLE brand_cells;
  END IF;
  DELETE FROM crowded_tiles;
  INSERT INTO crowded_tiles (zoom, x, y, refreshed_at) SELECT n.zoom, n.x, n.y, moment FROM new_tiles n ORDER BY 1, 2, 3;
  DELETE FROM tile_cells WHERE (selection, zoom, x, y, cell) IN (
    SELECT d.selection, d.zoom, d.x, d.y, d.cell FROM (TABLE tile_cells EXCEPT TABLE new_cells) d
  );
  GET DIAGNOSTICS removed = ROW_COUNT;
  INSERT INTO tile_cells (TABLE new_cells EXCEPT TABLE tile_cells) ORDER BY 1, 2, 3, 4, 5;
  GET DIAGNOSTICS added = ROW_COUNT;
  DROP TABLE new_tiles, new_cells;
  RETURN removed + added;
END $$;
COMMENT ON FUNCTION refresh_tile_grid(timestamptz, integer)
IS 'Recounts the clusters of tiles with at least crowded_from shops; returns the number of changed cells. The scheduler runs it; run it after loads.';
