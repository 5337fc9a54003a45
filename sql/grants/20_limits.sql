-- Timeouts of the service's role for statements, locks and idle transactions. Commands set 5 s in their transaction.
-- lock_timeout and GEOSHOPS_POOL_TIMEOUT_S together stay below a second. deadlock_timeout is shorter than
-- lock_timeout, because a deadlock is retried while a lock timeout fails the request; only a superuser may set it.
-- Roles belong to the whole server, where another database may be upgraded concurrently: settings that are already
-- correct are not changed, and conflicts with the same change are ignored.
DO $$
DECLARE
  wanted text[] := ARRAY[
    'statement_timeout=2s', 'lock_timeout=500ms', 'deadlock_timeout=200ms', 'idle_in_transaction_session_timeout=10s', 'jit=off'];
  setting text;
BEGIN
  FOREACH setting IN ARRAY wanted LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'geoshops_app')
      OR EXISTS (SELECT FROM pg_roles WHERE rolname = 'geoshops_app' AND setting = ANY (rolconfig));
    BEGIN
      EXECUTE format('ALTER ROLE geoshops_app SET %s = %L', split_part(setting, '=', 1), split_part(setting, '=', 2));
    EXCEPTION
      WHEN insufficient_privilege THEN RAISE NOTICE 'role geoshops_app: % was not set: %', setting, SQLERRM;
      WHEN internal_error THEN RAISE NOTICE 'role geoshops_app: % is being set by another session', setting;
    END;
  END LOOP;
END $$;
