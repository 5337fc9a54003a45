# shellcheck shell=sh
# The cluster's programs: etcd, HAProxy and PgBouncer from Debian, Patroni from PyPI. Sourced after
# postgres.sh. Debian packages are only unpacked, because installing them would start their services.

CLUSTER_HOME=$STATE-cluster
# find_pg selects the version of this cluster.
CLUSTER=$CLUSTER_HOME/node1
PROGRAMS=$CLUSTER_HOME/programs
PATRONI_VENV=$CLUSTER_HOME/patroni
PACKAGES="etcd-server haproxy pgbouncer"

program() {
  for folder in /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin "$PROGRAMS/usr/bin" "$PROGRAMS/usr/sbin"; do
    [ -x "$folder/$1" ] && printf '%s\n' "$folder/$1" && return 0
  done
  return 1
}

programs_complete() { program etcd && program haproxy && program pgbouncer; } >/dev/null

# Includes missing dependencies, from a simulated installation, which needs no root.
packages_to_unpack() {
  # shellcheck disable=SC2086
  apt-get install -s --no-install-recommends $PACKAGES 2>/dev/null | sed -n 's/^Inst \([^ ]*\) .*/\1/p'
}

require_programs() {
  programs_complete && return 0
  apt_available || die "etcd, haproxy and pgbouncer are missing. Install them, or run this on Debian or Ubuntu."
  if can_apt; then apt_refresh; fi
  packages=$(packages_to_unpack)
  [ -n "$packages" ] || die "the package index lacks etcd-server, haproxy or pgbouncer. Ask an administrator to run: apt-get update"
  make_cluster_home
  mkdir -p "$PROGRAMS/packages"
  # shellcheck disable=SC2086
  (cd "$PROGRAMS/packages" && run apt-get download -q -o APT::Sandbox::User=root $packages >&2) ||
    die "apt could not download $packages"
  for package in "$PROGRAMS"/packages/*.deb; do dpkg-deb -x "$package" "$PROGRAMS"; done
  rm -rf "$PROGRAMS/packages"
  programs_complete || die "the packages $PACKAGES do not contain the expected programs"
}

make_cluster_home() {
  mkdir -p "$CLUSTER_HOME" || die "cannot create $CLUSTER_HOME"
  chmod 755 "$CLUSTER_HOME"
}

# Patroni runs as the user postgres, which cannot execute an interpreter in root's home directory.
find_patroni_python() {
  for python in /usr/bin/python3 "$(find_python || :)" /usr/local/bin/python3; do
    [ -x "$python" ] && python_new "$python" && as_pg "$python" -c '' 2>/dev/null && printf '%s\n' "$python" && return 0
  done
  die "no Python 3.11 or newer was found that the user postgres may run"
}

require_patroni() {
  wanted=$(sha256 "$CLUSTER_PARTS/requirements.txt")
  [ "$(cat "$PATRONI_VENV/installed" 2>/dev/null)" != "$wanted" ] || return 0
  make_cluster_home
  python=$(find_patroni_python)
  can_make_venv "$python" || have uv || apt_install "Python's venv module" python3-venv
  if can_make_venv "$python"; then
    run "$python" -m venv --clear "$PATRONI_VENV"
    upgrade_pip "$PATRONI_VENV"
  else
    run uv venv -q --seed --clear --python "$python" "$PATRONI_VENV"
  fi
  run "$PATRONI_VENV/bin/python" -m pip install -q --disable-pip-version-check -r "$CLUSTER_PARTS/requirements.txt" >&2 ||
    die "Patroni could not be installed. Check the network and the package index (pip config list)."
  printf '%s\n' "$wanted" >"$PATRONI_VENV/installed"
}

# Exports the paths that main.py needs.
export_places() {
  for library in "$PROGRAMS"/usr/lib/*-linux-gnu*; do
    [ ! -d "$library" ] || LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  done
  CLUSTER_LIBRARIES=${LD_LIBRARY_PATH-}
  ETCD=$(program etcd) HAPROXY=$(program haproxy) PGBOUNCER=$(program pgbouncer)
  PATRONI=$PATRONI_VENV/bin/patroni
  export CLUSTER_HOME CLUSTER_LIBRARIES ETCD HAPROXY PGBOUNCER PATRONI PG_BIN
  unset LD_LIBRARY_PATH
}
