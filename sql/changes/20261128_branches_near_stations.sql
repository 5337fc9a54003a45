-- replaced by functions with other arguments
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS search_named(
  geometry, bigint [], bigint [], text [], text [], text [], boolean, shop_filters, integer
);
-- squawk-ignore ban-drop-function
DROP FUNCTION IF EXISTS branches_at(bigint [], text [], geography []);
