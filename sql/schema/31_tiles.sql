-- Cells with counted shops, for tiles of areas with many shops. Every other tile is read from the table of shops.
-- Only refresh_tile_grid() writes it, and it can be emptied at any time.

CREATE TABLE crowded_tiles (
  zoom smallint NOT NULL,
  x integer NOT NULL,
  y integer NOT NULL,
  refreshed_at timestamptz NOT NULL,
  CONSTRAINT crowded_tiles_pkey PRIMARY KEY (zoom, x, y),
  CONSTRAINT crowded_tiles_zoom_below_15 CHECK (zoom BETWEEN 0 AND 14)
);
COMMENT ON TABLE crowded_tiles IS 'Tiles that are made from tile_cells';
COMMENT ON COLUMN crowded_tiles.zoom IS 'Zoom level';
COMMENT ON COLUMN crowded_tiles.x IS 'Column, from 180 degrees west';
COMMENT ON COLUMN crowded_tiles.y IS 'Row, from the north';
COMMENT ON COLUMN crowded_tiles.refreshed_at IS 'State of shops that its cells show';

CREATE TABLE tile_cells (
  selection bigint NOT NULL,
  zoom smallint NOT NULL,
  x integer NOT NULL,
  y integer NOT NULL,
  cell smallint NOT NULL,
  place_x smallint NOT NULL,
  place_y smallint NOT NULL,
  expansion_zoom smallint NOT NULL,
  shop_cnt integer NOT NULL,
  review_cnt bigint NOT NULL,
  star_rating_sum bigint NOT NULL,
  shop_id bigint,
  CONSTRAINT tile_cells_pkey PRIMARY KEY (selection, zoom, x, y, cell),
  CONSTRAINT tile_cells_shop_id_when_single CHECK ((shop_cnt = 1) = (shop_id IS NOT NULL)),
  CONSTRAINT tile_cells_place_in_cell CHECK (cell = place_y / 64 * 64 + place_x / 64)
);
COMMENT ON TABLE tile_cells IS 'Clusters of crowded tiles: 64 by 64 cells a tile, a row for each that holds a shop';
COMMENT ON COLUMN tile_cells.selection IS 'Brand with its sub-brands; 0 is every shop, -1 those of the representative brands';
COMMENT ON COLUMN tile_cells.zoom IS 'Zoom level of the tile';
COMMENT ON COLUMN tile_cells.x IS 'Column of the tile';
COMMENT ON COLUMN tile_cells.y IS 'Row of the tile';
COMMENT ON COLUMN tile_cells.cell IS 'Row of the cell times 64 plus its column, from the north-west';
COMMENT ON COLUMN tile_cells.place_x IS 'Mean position of the shops, 0 to 4095 from the west of the tile';
COMMENT ON COLUMN tile_cells.place_y IS 'Mean position of the shops, 0 to 4095 from the north of the tile';
COMMENT ON COLUMN tile_cells.expansion_zoom IS 'Zoom level at which the shops first lie in more than one cell; 15 shows each shop';
COMMENT ON COLUMN tile_cells.shop_cnt IS 'Number of shops';
COMMENT ON COLUMN tile_cells.review_cnt IS 'Number of their reviews';
COMMENT ON COLUMN tile_cells.star_rating_sum IS 'Sum of the star ratings of their reviews';
COMMENT ON COLUMN tile_cells.shop_id IS 'The shop, when it is alone';
