# shellcheck shell=sh
# PostgreSQL with PostGIS: finds the programs and manages private clusters. Sourced after common.sh
# and apt.sh. A cluster is stored in one folder, CLUSTER:
#   data/  run/ (socket)  postgresql.log  port  superuser.password
# No function here starts or stops any other PostgreSQL.

CLUSTER=$STATE
FIRST_PORT=54321
# A Unix socket's path is limited to 107 bytes; /.s.PGSQL.NNNNN takes 16 of them.
SOCKET_DIR_MAX=90

# ---- programs ----

pg_candidates() {
  [ -z "${GEOSHOPS_PG_BIN-}" ] || printf '%s\n' "$GEOSHOPS_PG_BIN"
  for bin in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /opt/homebrew/opt/postgresql@*/bin; do
    [ -x "$bin/initdb" ] && printf '%s\n' "$bin"
  done | sort -t/ -k5 -rV
}

pg_major() { "$1/postgres" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/'; }

pg_share() {
  if [ -d "/usr/share/postgresql/$(pg_major "$1")" ]; then
    printf '/usr/share/postgresql/%s\n' "$(pg_major "$1")"
  else
    "$1/pg_config" --sharedir 2>/dev/null || :
  fi
}

# Sets PG_BIN: the newest PostgreSQL with PostGIS, or the major version of an existing cluster.
find_pg() {
  wanted=$(cat "$CLUSTER/data/PG_VERSION" 2>/dev/null || as_pg cat "$CLUSTER/data/PG_VERSION" 2>/dev/null || :)
  for bin in $(pg_candidates); do
    [ -z "$wanted" ] || [ "$(pg_major "$bin")" = "$wanted" ] || continue
    [ -f "$(pg_share "$bin")/extension/postgis.control" ] || continue
    PG_BIN=$bin
    return 0
  done
  [ -z "$wanted" ] || die "the cluster in $CLUSTER needs PostgreSQL $wanted with PostGIS, which is not installed. Install postgresql-$wanted postgresql-$wanted-postgis-3."
  return 1
}

installed_major() {
  newest=$(pg_candidates | head -n 1)
  [ -z "$newest" ] || pg_major "$newest"
}

need_postgres() {
  find_pg && return 0
  major=$(installed_major)
  if [ -n "$major" ]; then
    apt_need "PostGIS for PostgreSQL $major" "postgresql-$major-postgis-3"
  else
    # shellcheck disable=SC2046 # a list of package names
    apt_need "PostgreSQL with PostGIS" $(postgres_packages)
  fi
}

require_pg() {
  need_postgres
  install_needed
  find_pg || die "PostgreSQL with PostGIS is installed but its programs were not found; set GEOSHOPS_PG_BIN to their folder."
}

# Without a package index, assumes the package name of current releases.
postgres_packages() {
  if can_apt; then apt_refresh; fi
  major=$(packaged_major)
  if [ -z "$major" ] || package_known postgresql-postgis; then
    echo postgresql postgresql-postgis
  else
    echo postgresql "postgresql-$major-postgis-3"
  fi
}

packaged_major() {
  apt-cache depends postgresql 2>/dev/null | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p' | head -n 1
}

# ---- running them ----

# PostgreSQL refuses to run as root, so root runs it as the user postgres.
as_pg() {
  if is_root; then
    id postgres >/dev/null 2>&1 || die "the user postgres does not exist; Debian's package postgresql-common creates it"
    (cd / && runuser -u postgres -- "$@")
  else
    "$@"
  fi
}

pg_owner_dir() {
  if is_root; then install -d -o postgres -m "$1" "$2"; else mkdir -p "$2" && chmod "$1" "$2"; fi
}

cluster_exists() { [ -d "$CLUSTER/data" ]; }
cluster_port() { cat "$CLUSTER/port" 2>/dev/null || :; }
superuser_password() { cat "$CLUSTER/superuser.password"; }
superuser_url() { printf 'postgresql://postgres:%s@127.0.0.1:%s/postgres\n' "$(superuser_password)" "$(cluster_port)"; }

postmaster_pid() { as_pg sed -n 1p "$CLUSTER/data/postmaster.pid" 2>/dev/null || :; }

# After a crash another process may have the pid in postmaster.pid, so the command line is compared.
cluster_running() {
  pid=$(postmaster_pid)
  [ -n "$pid" ] || return 1
  case $(process_args "$pid") in *"$CLUSTER/data"*) return 0 ;; esac
  return 1
}

psql_super() {
  env -i PATH="$PATH" LC_ALL=C.UTF-8 PGPASSWORD="$(superuser_password)" PGCONNECT_TIMEOUT=10 \
    PGOPTIONS='-c client_min_messages=warning' \
    "$PG_BIN/psql" -XqAt -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$(cluster_port)" -U postgres "$@"
}

# ---- creating ----

# Memory in MiB: the machine's, or the container's limit if that is lower.
memory_mb() {
  total=$(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' /proc/meminfo 2>/dev/null || :)
  total=$((${total:-4194304} / 1024))
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || printf 'max')
  case $limit in max | *[!0-9]*) ;; *) [ $((limit / 1048576)) -ge "$total" ] || total=$((limit / 1048576)) ;; esac
  printf '%s\n' "$total"
}

at_most() { if [ "$1" -lt "$2" ]; then printf '%s' "$1"; else printf '%s' "$2"; fi; }

# Empty (TCP only) if the path would be too long for a socket.
socket_dir() { [ "${#CLUSTER}" -gt $((SOCKET_DIR_MAX - 4)) ] || printf '%s/run' "$CLUSTER"; }

server_settings() {
  memory=$(memory_mb)
  cat <<CONF
# Written once by scripts/db; change settings with ALTER SYSTEM.
listen_addresses = '127.0.0.1'
unix_socket_directories = '$(socket_dir)'
max_connections = 100
shared_buffers = $(at_most $((memory / 4)) 2048)MB
effective_cache_size = $((memory / 2))MB
work_mem = $(at_most $((memory / 128)) 32)MB
maintenance_work_mem = $(at_most $((memory / 16)) 512)MB
max_wal_size = 4GB
random_page_cost = 1.1
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] %u@%d %a '
CONF
  if [ -f "$(pg_share "$PG_BIN")/extension/pg_stat_statements.control" ]; then
    printf "shared_preload_libraries = 'pg_stat_statements'\n"
  fi
}

# Test data may be lost, so commits need not wait for the disk.
careless_settings() {
  cat <<'CONF'
fsync = off
synchronous_commit = off
full_page_writes = off
shared_buffers = 256MB
max_wal_size = 1GB
autovacuum_naptime = 5min
CONF
}

initdb_durability() { if [ "$1" = safe ]; then echo --data-checksums; else echo --no-sync; fi; }

# init_cluster safe|careless: runs initdb in a temporary folder, so that an interrupted run leaves no partial cluster.
init_cluster() {
  free_mb=$(df -Pk "$CLUSTER" | awk 'NR == 2 { print int($4 / 1024) }')
  [ "$free_mb" -ge 1024 ] || die "only $free_mb MB are free under $CLUSTER; a database needs at least 1024"
  pg_owner_dir 755 "$CLUSTER/run"
  as_pg rm -rf "$CLUSTER/run/new"
  (umask 077 && random_hex 24 >"$CLUSTER/superuser.password")
  as_pg sh -c 'umask 077 && cat >"$1"' - "$CLUSTER/run/password" <"$CLUSTER/superuser.password"
  say "+ initdb -D $CLUSTER/data"
  as_pg "$PG_BIN/initdb" -D "$CLUSTER/run/new" -U postgres --pwfile="$CLUSTER/run/password" \
    --auth=scram-sha-256 --locale=C.UTF-8 -E UTF8 "$(initdb_durability "$1")" \
    >"$CLUSTER/initdb.log" 2>&1 <&- || die "initdb failed: $(tail -n 5 "$CLUSTER/initdb.log")"
  as_pg rm -f "$CLUSTER/run/password"
  { server_settings; [ "$1" = safe ] || careless_settings; } |
    as_pg sh -c 'cat >"$1/geoshops.conf" && echo "include = '\''geoshops.conf'\''" >>"$1/postgresql.conf"' - "$CLUSTER/run/new"
  mv "$CLUSTER/run/new" "$CLUSTER/data"
}

# ---- starting and stopping ----

start_on_port() {
  touch "$CLUSTER/postgresql.log"
  if is_root; then chown postgres "$CLUSTER/postgresql.log"; fi
  chmod 600 "$CLUSTER/postgresql.log"
  printf '%s\n' "$1" >"$CLUSTER/port"
  as_pg "$PG_BIN/pg_ctl" -D "$CLUSTER/data" -l "$CLUSTER/postgresql.log" -o "-p $1" -s -w -t 120 start \
    </dev/null >/dev/null 2>&1
}

# PostgreSQL would mistake the files of a crashed server for those of a running one. Called when the cluster is not running.
remove_stale_files() {
  pid=$(postmaster_pid)
  [ -n "$pid" ] || return 0
  if process_alive "$pid" && [ -z "$(process_args "$pid")" ]; then
    die "process $pid in $CLUSTER/data/postmaster.pid is alive, but its command line cannot be read; not starting another server"
  fi
  say "removing a stale postmaster.pid"
  as_pg rm -f "$CLUSTER/data/postmaster.pid"
  as_pg find "$CLUSTER/run" -name '.s.PGSQL.*' -delete
}

start_cluster() {
  cluster_running && return 0
  remove_stale_files
  port=$(free_port "$(cluster_port | grep . || echo "${1:-$FIRST_PORT}")")
  for _ in 1 2 3 4 5; do
    say "+ pg_ctl -D $CLUSTER/data -o '-p $port' start"
    start_on_port "$port" && return 0
    # Another process may have taken the port since the check, or the last processes of a crashed
    # server may still hold its shared memory.
    sleep 1
    port=$(free_port "$port")
  done
  die "PostgreSQL did not start. The end of $CLUSTER/postgresql.log: $(tail -n 8 "$CLUSTER/postgresql.log")"
}

stop_cluster() {
  cluster_running || return 0
  say "+ pg_ctl -D $CLUSTER/data stop"
  as_pg "$PG_BIN/pg_ctl" -D "$CLUSTER/data" -m fast -s -w -t 120 stop
}
