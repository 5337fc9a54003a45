-- Views that only tests read.
-- squawk-ignore ban-drop-view
DROP VIEW IF EXISTS title_progress, current_shop_titles;
