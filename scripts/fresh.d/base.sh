# shellcheck shell=sh
# Builds the base image and copies settings of the host into it. Sourced by scripts/fresh.

# Only what git over TLS and the README's curl command need; scripts/ must install everything else.
INCLUDED=git,python3,ca-certificates,curl
NEEDED_MB=8192

report() { say "fresh: $*"; }

base_key() { printf '%s-%s' "$(dpkg --print-architecture 2>/dev/null || uname -m)" "$(printf %s "$INCLUDED" | sha256 | cut -c1-8)"; }

# ---- namespaces ----

isolated_pid=

# isolated COMMAND...: runs it in its own mount and process namespaces. Its mounts are invisible outside, and all
# its processes end with its first process, which ends with unshare, which ends with this shell. It runs in the
# background because a shell handles signals only after a foreground command has ended. env restores SIGINT,
# which a shell makes background commands ignore.
isolated() {
  env --default-signal=INT,QUIT setpriv --pdeathsig KILL \
    unshare --mount --pid --fork --kill-child --uts --ipc "$@" </dev/null &
  isolated_pid=$!
  wait "$isolated_pid"
}

stop_isolated() {
  [ -n "$isolated_pid" ] || return 0
  kill -9 "$isolated_pid" 2>/dev/null || :
  wait "$isolated_pid" 2>/dev/null || :
}

# remove_tree FOLDER: retries, because processes of a killed machine may still write.
remove_tree() {
  tries=0
  until rm -rf --one-file-system "$1" 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -lt 50 ] || die "cannot remove $1"
    sleep 0.2
  done
}

# Removes the machines of killed runs.
remove_left_behind() {
  for left in "$place"/machine.* "$place"/base.*; do
    owner=$(cat "$left/owner" 2>/dev/null || :)
    [ -z "$owner" ] || process_alive "$owner" || remove_tree "$left"
  done
}

require_machines() {
  is_root || die "a new machine needs root"
  { have unshare && have setpriv; } || die "a new machine needs Linux with util-linux"
  isolated sh -c 'mount -t proc proc /proc && mount -t tmpfs fresh /mnt && mkdir /mnt/old && cd /mnt && pivot_root . old' 2>/dev/null ||
    die "cannot create a new machine: mounting file systems in a new namespace is not permitted"
  have debootstrap || apt_install "debootstrap" debootstrap
  mkdir -p "$place"
  free_mb=$(df -Pk "$place" | awk 'NR == 2 { print int($4 / 1024) }')
  [ "$free_mb" -ge "$NEEDED_MB" ] || die "a new machine needs $NEEDED_MB MB in $place; only $free_mb are free"
}

# ---- sources of packages ----

# Prints the host's package sources of the release as lines of sources.list; nothing if the host has another release.
package_sources() {
  known=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
    sed -nE "s#^(\S+) ($suite(-updates|-security)?) main\$#deb \1 \2 main#p" | sort -u)
  case $known in *" $suite main"*) printf '%s\n' "$known" ;; esac
}

mirror() { package_sources | sed -n "s#^deb \(.*\) $suite main\$#\1#p" | head -n 1; }

# ---- building ----

# One run at a time builds or copies the base image.
lock_base() {
  exec 8>"$place/lock"
  flock 8
}

unlock_base() { exec 8>&-; }

make_base() {
  lock_base
  [ -d "$base" ] || build_base
  check_network
  unlock_base
}

# Builds in a temporary folder, so that an interrupted run leaves no partial image.
build_base() {
  folder=$(mktemp -d "$place/base.XXXXXX")
  echo "$$" >"$folder/owner"
  report "building a minimal Debian $suite (a few minutes), log $base.log"
  # without a mirror debootstrap uses its default and writes it to sources.list
  # shellcheck disable=SC2046 # one word or none
  isolated sh -c 'mount -t proc proc /proc && debootstrap --variant=minbase "$@"' sh \
    --include="$INCLUDED" "$suite" "$folder/tree" $(mirror) >"$base.log" 2>&1 ||
    die "debootstrap failed; the end of $base.log: $(tail -n 3 "$base.log")"
  [ -z "$(package_sources)" ] || package_sources >"$folder/tree/etc/apt/sources.list"
  rm -f "$folder/tree"/var/cache/apt/archives/*.deb
  mv "$folder/tree" "$base"
  remove_machine
}

# Checks that a machine can download packages. Removes the index, because a new container has none.
check_network() {
  carry_settings "$base"
  isolated chroot "$base" apt-get update -q -o APT::Update::Error-Mode=any >"$base.log" 2>&1 ||
    die "a new machine cannot fetch Debian's packages: $(tail -n 3 "$base.log")"
  find "$base/var/lib/apt/lists" -type f -delete
}

# ---- settings of the host ----

# carry TREE FILE...: copies existing files to the same path in the tree.
carry() {
  into=$1
  shift
  for file in "$@"; do
    [ -f "$file" ] || continue
    mkdir -p "$into$(dirname "$file")"
    cp -L "$file" "$into$file"
  done
}

# carry_settings TREE
carry_settings() {
  carry "$1" /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/npmrc /etc/ssl/certs/ca-certificates.crt
  for name in $(kept_names); do
    eval "value=\$$name"
    case $value in /etc/* | /usr/local/*) carry "$1" "$value" ;; esac
  done
  for certificate in /usr/local/share/ca-certificates/*.crt; do carry "$1" "$certificate"; done
  apt-config dump Acquire 2>/dev/null | grep -iE '::(proxy|ca(info|path)|verify)' >"$1/etc/apt/apt.conf.d/90machine" || :
  for file in .npmrc .pip/pip.conf .config/pip/pip.conf; do
    [ -f "$HOME/$file" ] || continue
    for home in "$1/root" "$1/etc/skel"; do
      mkdir -p "$(dirname "$home/$file")"
      cp -L "$HOME/$file" "$home/$file"
    done
  done
}

# Names of variables that configure proxies, package indexes and certificates.
kept_names() {
  env | sed -nE 's/^((https?|no|all)_proxy|(HTTPS?|NO|ALL)_PROXY|(PIP|NPM|npm|UV)_[A-Za-z0-9_]*|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|GIT_SSL_CAINFO|NODE_EXTRA_CA_CERTS)=.*/\1/p'
}

# ---- the project ----

shared_folder() { [ ! -d "$ROOT/../shared" ] || (CDPATH='' cd -- "$ROOT/../shared" && pwd -P); }

home_of() { if [ "$1" = root ]; then echo /root; else echo "/home/$1"; fi; }

# clone_into FOLDER USER: clones the last commit. safe.directory because the checkout may not belong to root.
clone_into() {
  printf '[safe]\n\tdirectory = *\n' >"$1/gitconfig"
  export GIT_CONFIG_GLOBAL="$1/gitconfig"
  [ -z "$(git -C "$ROOT" status --porcelain | head -n 1)" ] || report "uncommitted changes are not in the clone"
  [ "$2" = root ] || chroot "$1/tree" useradd --create-home --shell /bin/bash "$2"
  git clone -q --no-local "$ROOT" "$1/tree$(home_of "$2")/geoshops"
  chroot "$1/tree" chown -R "$2:" "$(home_of "$2")"
}
