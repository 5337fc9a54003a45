#!/bin/sh
# Generates passwords and the signing key unless they exist, in one folder (a Compose volume) per consumer:
#   secrets.sh FOLDER    writes FOLDER/db, FOLDER/owner, FOLDER/app and FOLDER/reader
set -eu
root=${1:?usage: secrets.sh FOLDER}

random_hex() { od -An -N "$1" -tx1 /dev/urandom | tr -d ' \n'; }
make_once() { [ -s "$1" ] || random_hex "$2" >"$1"; }
url() { printf 'postgresql://geoshops_%s:%s@%s/geoshops' "$1" "$(cat "$root/db/$1")" "${2:-db:5432}"; }

mkdir -p "$root/db" "$root/owner" "$root/app" "$root/reader"
for name in superuser owner app reader replication rewind; do make_once "$root/db/$name" 24; done
make_once "$root/app/secret_key" 32
url app >"$root/app/database_url"
url app >"$root/owner/database_url"
url owner >"$root/owner/owner_database_url"
url reader >"$root/reader/database_url"
# Profile "replica": ports of the load balancer.
url app balancer:5000 >"$root/app/writer_url"
url app balancer:5001 >"$root/app/reader_url"
url owner balancer:5002 >"$root/owner/direct_url"
# not $root itself, which is on the container's read-only root file system
chmod -R a+rX "$root"/*
