-- Limits of the service's role: no request waits long for a lock, runs away or holds a transaction open. Acts
-- give themselves 5 s in their own transaction. The wait for a lock and the one for a connection of the pool
-- (GEOSHOPS_POOL_TIMEOUT_S) stay below a second together. A deadlock is looked for earlier than that, because it is
-- repeated and a lock that is not given is refused; this one only a superuser may set.
-- Roles belong to the whole server, and another database may be upgraded at the same time: what is set already
-- is left alone, and a change that meets the same change of another is as good as made.
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
      WHEN internal_error THEN RAISE NOTICE 'role geoshops_app: % is being set by another', setting;
    END;
  END LOOP;
END $$;
