# shellcheck shell=sh
# Packages of Debian and Ubuntu: installed as root, by sudo, or named to the operator. Sourced.

APT_ALLOWED=${GEOSHOPS_NO_APT:+no}
SERVICE_POLICY=/usr/sbin/policy-rc.d
CLUSTER_POLICY=/etc/postgresql-common/createcluster.d/geoshops.conf

apt_available() { have apt-get && [ "${APT_ALLOWED:-yes}" = yes ]; }
can_apt() { apt_available && { is_root || sudo -n true 2>/dev/null || { have sudo && [ -t 0 ]; }; }; }

as_admin() { if is_root; then run "$@"; else run sudo "$@"; fi; }

apt_line() { printf 'apt-get update && apt-get install -y --no-install-recommends %s' "$*"; }

# An ordinary user of Debian has no sbin in PATH, where the programs of services are.
have_program() { (PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin && have "$1"); }

# ---- what is missing, collected, so that it is installed or asked for at once ----

NEEDED=
NEEDED_FOR=

# apt_need WHAT PACKAGE...: WHAT says in words why the packages are needed.
apt_need() {
  NEEDED_FOR=${NEEDED_FOR:+$NEEDED_FOR, }$1
  shift
  for package in "$@"; do
    case " $NEEDED " in *" $package "*) ;; *) NEEDED=${NEEDED:+$NEEDED }$package ;; esac
  done
}

install_needed() {
  # shellcheck disable=SC2086 # a list of package names
  [ -z "$NEEDED" ] || apt_install "$NEEDED_FOR" $NEEDED
  NEEDED=
  NEEDED_FOR=
}

# ---- installing ----

# apt_install WHAT PACKAGE...
apt_install() {
  what=$1
  shift
  if ! can_apt; then
    if have apt-get; then
      die "missing: $what. Ask an administrator to run: $(apt_line "$@")"
    fi
    die "missing: $what. Install it with the package manager of this system (on Debian: $(apt_line "$@"); on macOS: brew install postgresql@17 postgis python@3.12 node)."
  fi
  say "missing: $what. Installing $*"
  apt_refresh
  new=$(packages_not_installed "$@")
  forbid_services "$@"
  as_admin env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >&2 ||
    die "apt could not install $*. Read its message above; 'apt-get update' or a package source may be missing."
  # shellcheck disable=SC2086
  disable_services $new
  allow_services
}

# An index of today is fresh enough; a new container has none at all.
apt_refresh() {
  [ -z "$(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' -mtime -1 2>/dev/null | head -n 1)" ] || return 0
  as_admin apt-get update -q >&2 || say "apt-get update failed; going on with the index at hand"
}

package_known() { apt-cache show "$1" 2>/dev/null | grep -q '^Package:'; }

packages_not_installed() {
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# ---- no services: Debian's packages start theirs now and at every boot, PostgreSQL's makes a cluster ----

# A policy of the administrator's own stays; one that a killed installation of ours left is ours to remove.
forbid_services() {
  on_exit allow_services
  if [ ! -e "$SERVICE_POLICY" ] || our_policy; then
    printf '#!/bin/sh\n# Made by geoshops, which removes it after an installation.\nexit 101\n' |
      as_admin tee "$SERVICE_POLICY" >/dev/null
    as_admin chmod 755 "$SERVICE_POLICY"
  fi
  case " $* " in *' postgresql'*)
    as_admin mkdir -p "$(dirname "$CLUSTER_POLICY")"
    printf 'create_main_cluster = false\n' | as_admin tee "$CLUSTER_POLICY" >/dev/null ;;
  esac
}

our_policy() { grep -qs 'Made by geoshops' "$SERVICE_POLICY"; }

# An administrator who installs more packages later shall find Debian's usual behaviour.
allow_services() {
  ! our_policy || as_admin rm -f "$SERVICE_POLICY"
  [ ! -e "$CLUSTER_POLICY" ] || as_admin rm -f "$CLUSTER_POLICY"
}

# The unit of a server has the name of its package. PostgreSQL's starts clusters that an administrator makes.
disable_services() {
  have systemctl || return 0
  for package in "$@"; do
    case $package in postgresql*) continue ;; esac
    ! systemctl cat "$package" >/dev/null 2>&1 || as_admin systemctl disable --quiet "$package"
  done
}
