-- The filters of shop searches travel through functions as one value. A null attribute sets no condition.

CREATE TYPE shop_filters AS (
  box double precision [],
  min_rating double precision,
  open_minute integer,
  clean double precision,
  retouch double precision,
  props double precision
);
COMMENT ON TYPE shop_filters IS 'Filters that every shop search takes';
COMMENT ON COLUMN shop_filters.box IS '[west, south, east, north] in degrees; west above east crosses the 180th meridian';
COMMENT ON COLUMN shop_filters.min_rating IS 'Least average rating, 0 to 5';
COMMENT ON COLUMN shop_filters.open_minute IS 'Minute since Monday 00:00 at which the shop must be open';
COMMENT ON COLUMN shop_filters.clean IS 'Least share of GOOD cleanliness votes (Wilson lower bound)';
COMMENT ON COLUMN shop_filters.retouch IS 'Least share of GOOD retouching votes (Wilson lower bound)';
COMMENT ON COLUMN shop_filters.props IS 'Least share of GOOD props votes (Wilson lower bound)';
