-- replaced by a function with another argument
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS shops_of_begun_names(text [], geography, jsonb);
