# shellcheck shell=sh
# The project's database in its private cluster: roles, extensions, the URLs in .env.
# Sourced after postgres.sh.

GIVEN_DATABASE_URL=${DATABASE_URL-}${DATABASE_URL_FILE-}
DATABASE=geoshops

# Whether the operator set DATABASE_URL, in the environment or in .env. GEOSHOPS_CLUSTER marks URLs written by
# us; it names the state folder, so that a copied checkout does not use the original's cluster.
operator_database() {
  if [ -n "$GIVEN_DATABASE_URL" ]; then
    [ "$GIVEN_DATABASE_URL" != "$(env_get DATABASE_URL)" ] || [ -z "$(env_get GEOSHOPS_CLUSTER)" ]
  else
    [ -n "$(env_get DATABASE_URL)" ] && [ -z "$(env_get GEOSHOPS_CLUSTER)" ]
  fi
}

url_of() { printf 'postgresql://%s:%s@127.0.0.1:%s/%s\n' "$1" "$2" "$(cluster_port)" "$DATABASE"; }
password_in() { printf '%s\n' "$1" | sed -n 's|^postgresql://[^:/]*:\([^@]*\)@.*|\1|p'; }

# Writes one URL, keeping the password in .env.
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

# Passes passwords on standard input: every user can read command lines.
with_passwords() {
  printf "\\\\set app_password '%s'\n" "$(password_in "$(env_get DATABASE_URL)")"
  printf "\\\\set owner_password '%s'\n" "$(password_in "$(env_get GEOSHOPS_OWNER_DATABASE_URL)")"
  printf "\\\\set reader_password '%s'\n" "$(password_in "$(env_get GEOSHOPS_READER_DATABASE_URL)")"
  cat "$1"
}

# Covers everything that only a superuser can apply, so that changed limits are applied again.
provisioned_hash() {
  {
    for name in $RUNTIME_NAMES; do env_get "$name"; done
    cat "$PARTS/roles.sql" "$PARTS/extensions.sql" "$ROOT"/sql/grants/*_limits.sql
  } | sha256
}

# Idempotent; the hash is written last, so that an interrupted run is repeated.
provision() {
  [ -f "$CLUSTER/provisioned" ] && [ "$(provisioned_hash)" = "$(cat "$CLUSTER/provisioned")" ] && return 0
  say "+ psql: roles, database $DATABASE and extensions"
  with_passwords "$PARTS/roles.sql" | psql_super -d postgres >/dev/null
  psql_super -d "$DATABASE" -f "$PARTS/extensions.sql" >/dev/null
  for limits in "$ROOT"/sql/grants/*_limits.sql; do psql_super -d "$DATABASE" -f "$limits" >/dev/null; done
  provisioned_hash >"$CLUSTER/provisioned"
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
    say "using the database of DATABASE_URL; no cluster is created"
    return 0
  fi
  create_database
}
