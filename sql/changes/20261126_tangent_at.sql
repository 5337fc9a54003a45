-- returns second derivatives as well, which CREATE OR REPLACE cannot add
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS tangent_at(geography, geography [], boolean);
