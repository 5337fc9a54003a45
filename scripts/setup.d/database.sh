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

# By standard input: what stands on a command line can be read by every user of the machine.
with_passwords() {
  printf "\\\\set app_password '%s'\n" "$(password_in "$(env_get DATABASE_URL)")"
  printf "\\\\set owner_password '%s'\n" "$(password_in "$(env_get GEOSHOPS_OWNER_DATABASE_URL)")"
  printf "\\\\set reader_password '%s'\n" "$(password_in "$(env_get GEOSHOPS_READER_DATABASE_URL)")"
  cat "$1"
}

# Whatever a superuser sets here, the owner may not change: a new release's limits are set again.
provisioned_hash() {
  {
    for name in $RUNTIME_NAMES; do env_get "$name"; done
    cat "$PARTS/roles.sql" "$PARTS/extensions.sql" "$ROOT"/sql/grants/*_limits.sql
  } | sha256
}

# Everything in it can be repeated; the mark is written last.
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
    say "using the database given by DATABASE_URL; no cluster is made"
    return 0
  fi
  create_database
}
