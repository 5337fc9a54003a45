-- Limits of the analysts' role, so that no query occupies the server for long. They apply to sessions that log in as
-- this role, not after SET ROLE. For the conditions see 20_limits.sql.
DO $$
DECLARE
  wanted text[] := ARRAY[
    'statement_timeout=2min', 'work_mem=64MB', 'idle_in_transaction_session_timeout=5min',
    'default_transaction_read_only=on', 'jit=off'];
  setting text;
BEGIN
  FOREACH setting IN ARRAY wanted LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'geoshops_reader')
      OR EXISTS (SELECT FROM pg_roles WHERE rolname = 'geoshops_reader' AND setting = ANY (rolconfig));
    BEGIN
      EXECUTE format('ALTER ROLE geoshops_reader SET %s = %L',
        split_part(setting, '=', 1), split_part(setting, '=', 2));
    EXCEPTION
      WHEN insufficient_privilege THEN RAISE NOTICE 'role geoshops_reader: % was not set: %', setting, SQLERRM;
      WHEN internal_error THEN RAISE NOTICE 'role geoshops_reader: % is being set by another session', setting;
    END;
  END LOOP;
END $$;
