#!/bin/sh
# Stand-in for the entrypoint of the public postgres image: the part of its contract that docker-compose.yml uses
# (POSTGRES_PASSWORD_FILE, POSTGRES_INITDB_ARGS, /docker-entrypoint-initdb.d, the first start without TCP).
set -eu

if [ "$(id -u)" = 0 ]; then
  install -d -o postgres -m 700 "$PGDATA"
  chown -R postgres "$PGDATA"
  exec setpriv --reuid postgres --regid postgres --init-groups "$0" "$@"
fi

if [ "$1" = postgres ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
  : "${POSTGRES_PASSWORD_FILE:?the path of a file}"
  # shellcheck disable=SC2086 # options, separated by blanks
  initdb -U postgres --pwfile="$POSTGRES_PASSWORD_FILE" ${POSTGRES_INITDB_ARGS-}
  printf '\nhost all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
  printf "listen_addresses = '*'\n" >>"$PGDATA/postgresql.conf"
  pg_ctl -D "$PGDATA" -w -o "-c listen_addresses=''" start
  for script in /docker-entrypoint-initdb.d/*.sh; do
    [ ! -f "$script" ] || sh "$script"
  done
  pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec "$@"
