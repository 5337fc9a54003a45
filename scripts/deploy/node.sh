#!/bin/sh
# Entry point of the containers of the profile "replica". A test compares the values with those of scripts/cluster.
#   node.sh patroni NAME    run Patroni and PostgreSQL; NAME is the node's host name
#   node.sh pgbouncer NAME  run the pooler of the node with that host name
#   node.sh watch NAME...   release the leader key of a node when its container has died
#   node.sh provision       wait for a leader with a follower; create roles, database and extensions
set -eu
secret() { cat "/secrets/db/$1"; }

patroni_config() {
  cat <<YAML
scope: geoshops
name: $1
restapi: {listen: "0.0.0.0:8008", connect_address: "$1:8008"}
etcd3: {host: "etcd:2379"}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 10
    retry_timeout: 5
    maximum_lag_on_failover: 16777216
    synchronous_mode: quorum
    synchronous_mode_strict: true
    synchronous_node_count: 1
    primary_start_timeout: 0
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters:
        shared_buffers: 96MB
        max_connections: 60
        work_mem: 16MB
        maintenance_work_mem: 64MB
        max_wal_size: 512MB
        random_page_cost: 1.1
        jit: "off"
        timezone: UTC
        log_timezone: UTC
        hot_standby_feedback: "on"
        wal_receiver_status_interval: 1s
        wal_keep_size: 256MB
        shared_preload_libraries: pg_stat_statements
  initdb: [{encoding: UTF8}, {locale: C.UTF-8}, {auth: scram-sha-256}, data-checksums]
postgresql:
  listen: "0.0.0.0:5432"
  connect_address: "$1:5432"
  data_dir: /var/lib/postgresql/node/data
  bin_dir: /usr/lib/postgresql/$PG_MAJOR/bin
  pgpass: /tmp/pgpass
  authentication:
    superuser: {username: postgres, password: "$(secret superuser)"}
    replication: {username: replicator, password: "$(secret replication)"}
    rewind: {username: rewind, password: "$(secret rewind)"}
  pg_hba:
    - host replication replicator all scram-sha-256
    - host all all all scram-sha-256
YAML
}

pgbouncer_config() {
  cat <<INI
[databases]
geoshops = host=$1 port=5432 dbname=geoshops
[pgbouncer]
listen_addr = 0.0.0.0
listen_port = 6432
unix_socket_dir =
auth_type = scram-sha-256
auth_file = /tmp/users
pool_mode = transaction
max_client_conn = 400
default_pool_size = 8
query_wait_timeout = 5
server_connect_timeout = 2
server_login_retry = 1
server_lifetime = 300
tcp_user_timeout = 5000
dns_max_ttl = 2
dns_nxdomain_ttl = 1
log_connections = 0
log_disconnections = 0
INI
}

umask 077
case ${1-} in
  patroni)
    patroni_config "$2" >/tmp/patroni.yml
    # held until the container ends; watch.py waits for it
    exec 9>"/locks/$2"
    flock 9
    exec patroni /tmp/patroni.yml ;;
  pgbouncer)
    pgbouncer_config "$2" >/tmp/pgbouncer.ini
    for role in app owner reader; do printf '"geoshops_%s" "%s"\n' "$role" "$(secret $role)"; done >/tmp/users
    exec pgbouncer /tmp/pgbouncer.ini ;;
  watch)
    shift
    exec python3 /opt/geoshops/watch.py /locks "$@" ;;
  provision)
    PGPASSWORD=$(secret superuser)
    export PGHOST=balancer PGPORT=5002 PGPASSWORD PGCONNECT_TIMEOUT=2
    until psql -XqAt -U postgres -d postgres -c "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'quorum'" | grep -q 1; do
      sleep 1
    done
    exec sh /opt/geoshops/init-db.sh ;;
  *) echo "usage: node.sh patroni NAME | pgbouncer NAME | watch NAME... | provision" >&2; exit 2 ;;
esac
