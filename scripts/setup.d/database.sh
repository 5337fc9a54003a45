# shellcheck shell=sh
# The project's database in its private cluster: roles, extensions, the URLs in .env.
# Sourced after postgres.sh.

GIVEN_DATABASE_URL=${DATABASE_URL-}${DATABASE_URL_FILE-}
DATABASE=geoshops

# The operator's own database: given in the environment, or written into .env without our mark.
# The mark names the state folder, so that a copied checkout does not use its original's cluster.
operator_database() {
  if [ -n "$GIVEN_DATABASE_URL" ]; then
    [ "$GIVEN_DATABASE_URL" != "$(env_get DATABASE_URL)" ] || [ -z "$(env_get GEOSHOPS_CLUSTER)" ]
  else
    [ -n "$(env_get DATABASE_URL)" ] && [ -z "$(env_get GEOSHOPS_CLUSTER)" ]
  fi
}

url_of() { printf 'postgresql://%s:%s@127.0.0.1:%s/%s\n' "$1" "$2" "$(cluster_port)" "$DATABASE"; }
password_in() { printf '%s\n' "$1" | sed -n 's|^postgresql://[^:/]*:\([^@]*\)@.*|\1|p'; }

# Writes one URL, keeping the password that .env has; a new port alone changes nothing else.
write_url() {
  password=$(password_in "$(env_get "$1")")
  env_set "$1" "$(url_of "$2" "${password:-$(random_hex 24)}")"
}

write_urls() {
  if [ "$(env_get GEOSHOPS_CLUSTER)" != "$STATE" ]; then
    for name in $RUNTIME_NAMES; do env_unset "$name"; done
  fi
  write_url DATABASE_URL geoshops_app
  write_url GEOSHOPS_OWNER_DATABASE_URL geoshops_owner
  write_url GEOSHOPS_READER_DATABASE_URL geoshops_reader
  env_set GEOSHOPS_CLUSTER "$STATE"
}

forget_urls() { for name in $RUNTIME_NAMES GEOSHOPS_CLUSTER; do env_unset "$name"; done; }

role_sql() {
  password=$(password_in "$(env_get "$2")")
  cat <<SQL
SELECT 'CREATE ROLE $1' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '$1') \gexec
ALTER ROLE $1 LOGIN NOSUPERUSER NOCREATEDB ${3:-NOCREATEROLE} PASSWORD '$password';
SQL
}

roles_sql() {
  role_sql geoshops_owner GEOSHOPS_OWNER_DATABASE_URL CREATEROLE
  role_sql geoshops_app DATABASE_URL
  role_sql geoshops_reader GEOSHOPS_READER_DATABASE_URL
  cat <<SQL
GRANT geoshops_app, geoshops_reader TO geoshops_owner WITH ADMIN OPTION;
ALTER ROLE geoshops_app SET max_parallel_workers_per_gather = 0;
ALTER ROLE geoshops_reader SET default_transaction_read_only = on;
SELECT 'CREATE DATABASE $DATABASE OWNER geoshops_owner'
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '$DATABASE') \gexec
REVOKE ALL ON DATABASE $DATABASE FROM PUBLIC;
GRANT CONNECT ON DATABASE $DATABASE TO geoshops_app, geoshops_reader;
SQL
}

extensions_sql() {
  for name in $EXTENSIONS; do printf 'CREATE EXTENSION IF NOT EXISTS %s;\n' "$name"; done
}

urls_hash() { for name in $RUNTIME_NAMES; do env_get "$name"; done | sha256; }

# Everything in it can be repeated; the mark is written last.
provision() {
  [ -f "$CLUSTER/provisioned" ] && [ "$(urls_hash)" = "$(cat "$CLUSTER/provisioned")" ] && return 0
  say "+ psql: roles, database $DATABASE and extensions"
  roles_sql | psql_super -d postgres >/dev/null
  extensions_sql | psql_super -d "$DATABASE" >/dev/null
  urls_hash >"$CLUSTER/provisioned"
}

make_state_dir() {
  [ -d "$STATE" ] && return 0
  mkdir -p "$STATE" || die "cannot create $STATE"
  chmod 755 "$STATE"
}

create_database() {
  require_pg
  make_state_dir
  cluster_exists || init_cluster safe
  start_cluster
  write_urls
  provision
}

setup_database() {
  if operator_database; then
    say "using the database given by DATABASE_URL; no cluster is made"
    return 0
  fi
  create_database
}
