# shellcheck shell=sh
# Packages of Debian and Ubuntu: installed as root, by sudo, or named to the operator. Sourced.

APT_ALLOWED=${GEOSHOPS_NO_APT:+no}

apt_available() { have apt-get && [ "${APT_ALLOWED:-yes}" = yes ]; }
can_apt() { apt_available && { is_root || sudo -n true 2>/dev/null || { have sudo && [ -t 0 ]; }; }; }

as_admin() { if is_root; then run "$@"; else run sudo "$@"; fi; }

apt_line() { printf 'apt-get update && apt-get install -y --no-install-recommends %s' "$*"; }

# apt_install WHAT PACKAGE...: WHAT says in words why the packages are needed.
apt_install() {
  what=$1
  shift
  if ! can_apt; then
    if have apt-get; then
      die "$what is missing. Ask an administrator to run: $(apt_line "$@")"
    fi
    die "$what is missing. Install it with the package manager of this system (on Debian: $(apt_line "$@"); on macOS: brew install postgresql@17 postgis python@3.12 node)."
  fi
  say "$what is missing: installing $*"
  apt_refresh
  as_admin env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >&2 ||
    die "apt could not install $*. Read its message above; 'apt-get update' or a package source may be missing."
}

# An index of today is fresh enough; a new container has none at all.
apt_refresh() {
  [ -z "$(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' -mtime -1 2>/dev/null | head -n 1)" ] || return 0
  as_admin apt-get update -q >&2 || say "apt-get update failed; going on with the index at hand"
}

package_known() { apt-cache show "$1" 2>/dev/null | grep -q '^Package:'; }
