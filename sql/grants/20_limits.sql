-- Limits of the service's role: no request waits long for a lock, runs away or holds a transaction open.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'geoshops_app') THEN
    ALTER ROLE geoshops_app SET statement_timeout = '5s';
    ALTER ROLE geoshops_app SET lock_timeout = '1s';
    ALTER ROLE geoshops_app SET idle_in_transaction_session_timeout = '10s';
    ALTER ROLE geoshops_app SET jit = off;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'the limits of role geoshops_app were not set: %', SQLERRM;
END $$;
