-- Creates the three roles and the database. Run as superuser; idempotent. Passwords are psql variables:
-- owner_password, app_password, reader_password.
SELECT format('CREATE ROLE %I', name)
FROM unnest(ARRAY['geoshops_owner', 'geoshops_app', 'geoshops_reader']) AS name
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec

-- Owns the schema: migrations, imports, operator commands. NOCREATEROLE because in PostgreSQL 15 CREATEROLE
-- allows a role to grant itself pg_execute_server_program and pg_write_server_files.
ALTER ROLE geoshops_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'owner_password';
-- The service: only the privileges granted in sql/.
ALTER ROLE geoshops_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'app_password';
-- Analysts: read-only; the limit leaves connections to the service.
ALTER ROLE geoshops_reader LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE CONNECTION LIMIT 20 PASSWORD :'reader_password';

-- The owner may use SET ROLE to check what an analyst can see.
GRANT geoshops_reader TO geoshops_owner;
REVOKE ADMIN OPTION FOR geoshops_reader FROM geoshops_owner;
SELECT 'REVOKE geoshops_app FROM geoshops_owner'
WHERE pg_has_role('geoshops_owner', 'geoshops_app', 'MEMBER') \gexec

-- Short queries do not profit from parallel workers. Other limits are set in sql/grants/*_limits.sql.
ALTER ROLE geoshops_app SET max_parallel_workers_per_gather = 0;
ALTER ROLE geoshops_reader SET default_transaction_read_only = on;

SELECT 'CREATE DATABASE geoshops OWNER geoshops_owner'
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'geoshops') \gexec
REVOKE ALL ON DATABASE geoshops FROM PUBLIC;
GRANT CONNECT ON DATABASE geoshops TO geoshops_app, geoshops_reader;
