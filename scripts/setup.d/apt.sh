# shellcheck shell=sh
# Debian and Ubuntu packages: installs them as root or with sudo, or prints the command for the operator. Sourced.

APT_ALLOWED=${GEOSHOPS_NO_APT:+no}
SERVICE_POLICY=/usr/sbin/policy-rc.d
CLUSTER_POLICY=/etc/postgresql-common/createcluster.d/geoshops.conf

apt_available() { have apt-get && [ "${APT_ALLOWED:-yes}" = yes ]; }
can_apt() { apt_available && { is_root || sudo -n true 2>/dev/null || { have sudo && [ -t 0 ]; }; }; }

as_admin() { if is_root; then run "$@"; else run sudo "$@"; fi; }

apt_line() { printf 'apt-get update && apt-get install -y --no-install-recommends %s' "$*"; }

# Debian's default PATH for ordinary users lacks sbin, where services have their programs.
have_program() { (PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin && have "$1"); }

# The fonts of preview pictures (geoshops/map/card.py).
have_card_fonts() { [ -f /usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc ]; }

# Optional: without them, previews show a picture without text. So the script does not ask for a password to install them.
need_card_fonts() {
  have_card_fonts || ! apt_available || { ! is_root && ! sudo -n true 2>/dev/null; } ||
    apt_need "fonts for preview pictures" fonts-noto-cjk
}

# ---- missing packages, collected for one installation ----

NEEDED=
NEEDED_FOR=

# apt_need PURPOSE PACKAGE...: PURPOSE is named in messages.
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

# apt_install PURPOSE PACKAGE...
apt_install() {
  purpose=$1
  shift
  if ! can_apt; then
    if have apt-get; then
      die "missing: $purpose. Ask an administrator to run: $(apt_line "$@")"
    fi
    die "missing: $purpose. Install it with the package manager of this system (on Debian: $(apt_line "$@"); on macOS: brew install postgresql@17 postgis python@3.12 node)."
  fi
  say "missing: $purpose. Installing $*"
  apt_refresh
  new=$(packages_not_installed "$@")
  forbid_services "$@"
  as_admin env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >&2 ||
    die "apt could not install $*; see its message above. Check the package sources and run 'apt-get update'."
  # shellcheck disable=SC2086
  disable_services $new
  allow_services
}

# Updates the package index unless it is less than a day old.
apt_refresh() {
  [ -z "$(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' -mtime -1 2>/dev/null | head -n 1)" ] || return 0
  as_admin apt-get update -q >&2 || say "apt-get update failed; continuing with the existing index"
}

package_known() { apt-cache show "$1" 2>/dev/null | grep -q '^Package:'; }

packages_not_installed() {
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# ---- no services: by default a Debian package starts its service at installation and at every boot, and
# ---- PostgreSQL's package creates a cluster

# Keeps a policy written by the administrator; replaces one left by an interrupted run of ours.
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

# Restores Debian's default behaviour for later installations.
allow_services() {
  ! our_policy || as_admin rm -f "$SERVICE_POLICY"
  [ ! -e "$CLUSTER_POLICY" ] || as_admin rm -f "$CLUSTER_POLICY"
}

# A service's unit has the name of its package. PostgreSQL's is kept: it starts clusters that administrators create.
disable_services() {
  have systemctl || return 0
  for package in "$@"; do
    case $package in postgresql*) continue ;; esac
    ! systemctl cat "$package" >/dev/null 2>&1 || as_admin systemctl disable --quiet "$package"
  done
}
