-- The three roles and the database; run as superuser, can be repeated. Passwords come as psql
-- variables: owner_password, app_password, reader_password.
SELECT format('CREATE ROLE %I', name)
FROM unnest(ARRAY['geoshops_owner', 'geoshops_app', 'geoshops_reader']) AS name
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec

-- Owns the schema: migrations, imports, operators' commands. Not CREATEROLE, with which PostgreSQL 15 lets
-- a role give itself the programs and files of the server.
ALTER ROLE geoshops_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'owner_password';
-- The service: what sql/ grants it, nothing more.
ALTER ROLE geoshops_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'app_password';
-- Analysts: read only, and never all the connections that the server has.
ALTER ROLE geoshops_reader LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE CONNECTION LIMIT 20 PASSWORD :'reader_password';

-- The owner may ask as an analyst, to see what an analyst sees.
GRANT geoshops_reader TO geoshops_owner;
REVOKE ADMIN OPTION FOR geoshops_reader FROM geoshops_owner;
SELECT 'REVOKE geoshops_app FROM geoshops_owner'
WHERE pg_has_role('geoshops_owner', 'geoshops_app', 'MEMBER') \gexec

-- Short requests gain nothing from a second process; other limits are set by sql/grants/*_limits.sql.
ALTER ROLE geoshops_app SET max_parallel_workers_per_gather = 0;
ALTER ROLE geoshops_reader SET default_transaction_read_only = on;

SELECT 'CREATE DATABASE geoshops OWNER geoshops_owner'
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'geoshops') \gexec
REVOKE ALL ON DATABASE geoshops FROM PUBLIC;
GRANT CONNECT ON DATABASE geoshops TO geoshops_app, geoshops_reader;
