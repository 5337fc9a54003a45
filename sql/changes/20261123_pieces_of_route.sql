-- replaced by corners_of_route
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS pieces_of_route(geography, double precision);
