-- Definitions that nothing uses, or that another function replaces.
-- squawk-ignore ban-drop-view
DROP VIEW IF EXISTS title_progress, current_shop_titles;
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS stored_display(bigint, bigint, text);
