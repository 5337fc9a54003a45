-- One row per brand.
CREATE OR REPLACE VIEW v_brand AS
SELECT
  b.id,
  b.name AS brand,
  b.parent_id,
  coalesce(p.name, b.name) AS main_brand,
  b.is_representative,
  b.badge_color,
  ARRAY(SELECT a.alias FROM brand_aliases AS a WHERE a.brand_id = b.id ORDER BY a.alias) AS aliases,
  (SELECT count(*)::integer FROM shops AS s WHERE s.brand_id = b.id AND s.status <> 'CLOSED') AS shops_open
FROM brands AS b
LEFT JOIN brands AS p ON p.id = b.parent_id;
COMMENT ON VIEW v_brand IS 'Photo booth brands';
COMMENT ON COLUMN v_brand.id IS 'Brand identifier';
COMMENT ON COLUMN v_brand.brand IS 'Name of the brand';
COMMENT ON COLUMN v_brand.parent_id IS 'Identifier of the parent brand; null if it has none';
COMMENT ON COLUMN v_brand.main_brand IS 'Name of the parent brand, otherwise of the brand itself';
COMMENT ON COLUMN v_brand.is_representative IS 'True for the brands that searches return by default';
COMMENT ON COLUMN v_brand.badge_color IS 'Colour of the badge, #rrggbb';
COMMENT ON COLUMN v_brand.aliases IS 'Other names of the brand';
COMMENT ON COLUMN v_brand.shops_open IS 'Number of shops that are not closed, without sub-brands';
