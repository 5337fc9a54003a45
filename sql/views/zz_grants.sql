-- The analysts' role, which may read only the views, and call the searches by shape, which return ids. Its limits are in
-- sql/grants.
DO $$
DECLARE
  view_name text;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'geoshops_reader') THEN
    BEGIN
      CREATE ROLE geoshops_reader NOLOGIN;
    EXCEPTION
      WHEN insufficient_privilege THEN
        RAISE NOTICE 'role geoshops_reader is missing and may not be created here: ask an administrator, then repeat';
        RETURN;
      WHEN duplicate_object OR unique_violation THEN
        NULL; -- created concurrently by the upgrade of another database on this server
    END;
  END IF;
  EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM geoshops_reader', current_schema());
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO geoshops_reader', current_schema());
  FOREACH view_name IN ARRAY ARRAY[
    'v_shop', 'v_shop_open', 'v_brand', 'v_station', 'v_region', 'v_region_part', 'v_review',
    'v_favorite_daily', 'v_population'
  ]
  LOOP
    EXECUTE format('GRANT SELECT ON %I TO geoshops_reader', view_name);
  END LOOP;
  GRANT EXECUTE ON FUNCTION positive(text, text), one_of(text, text, text []), find_brand(text), find_region(text),
    study_area(text), need_boundaries(text [], bigint), has_population(text), normal_two_sided_p(double precision), metric_plane(text, text), month_of(text, text),
    name_key(text), is_blank(text),
    shops_within(geography), shops_along(geography, double precision), shops_meet(geography [], integer, boolean)
  TO geoshops_reader;
END
$$;
