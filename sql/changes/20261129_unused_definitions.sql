-- Definitions that nothing uses, or that another function replaces.
DROP VIEW IF EXISTS title_progress, current_shop_titles;
DROP FUNCTION IF EXISTS stored_display(bigint, bigint, text);
