-- replaced by cells_of_area, and by functions with another argument
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS boxes_of_area(geometry, double precision []);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS area_of_sum(geography [], geography, double precision, double precision [], double precision);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS area_cut(
  geometry, geography [], geography, double precision, double precision [], double precision, double precision
);
