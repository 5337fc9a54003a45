-- replaced by geodesic_corners, parts_of_area, boxes_around, list_shops_within and pieces_of_route
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS area_parts(geography);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS box_around(geometry, double precision, double precision);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS geodesic_pieces(geometry, double precision);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS nearest_within(
  geometry, double precision, double precision, geography, bigint [], shop_filters, integer, integer
);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS route_pieces(geography, double precision);
