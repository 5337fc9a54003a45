#!/bin/sh
# Creates roles, database and extensions. The database image runs it once, on an empty data directory.
set -eu
{
  for role in owner app reader; do
    printf "\\set %s_password '%s'\n" "$role" "$(cat "/secrets/db/$role")"
  done
  cat /opt/geoshops/roles.sql
} | psql -XqAt -v ON_ERROR_STOP=1 -U postgres -d postgres
for file in extensions 20_limits 30_reader_limits; do
  psql -Xq -v ON_ERROR_STOP=1 -U postgres -d geoshops -f "/opt/geoshops/$file.sql"
done
