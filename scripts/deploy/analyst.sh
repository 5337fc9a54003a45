#!/bin/sh
# Entry point of the container `psql` of the profile "analyst":
#   analyst.sh [psql's arguments]    psql as the role geoshops_reader
#   analyst.sh url                   print that role's URL for programs on the host
set -eu
url=$(cat /secrets/reader/database_url)
if [ "${1-}" = url ]; then
  printf '%s\n' "$url" | sed "s#@[^/]*/#@127.0.0.1:$ANALYST_PORT/#"
  exit 0
fi
# a service file, because every process can read command lines
umask 077
printf '[geoshops]\n' >/tmp/service
printf '%s\n' "$url" | sed -E 's#^postgresql://([^:]*):([^@]*)@([^:]*):([^/]*)/(.*)$#user=\1\npassword=\2\nhost=\3\nport=\4\ndbname=\5#' >>/tmp/service
export PGSERVICEFILE=/tmp/service PGSERVICE=geoshops PSQL_HISTORY=/tmp/history
exec psql -v ON_ERROR_STOP=1 "$@"
