#!/bin/sh
# The first process of a new machine: mounts its file systems, enters it and runs the commands. scripts/fresh
# calls it in new namespaces: machine.sh NAMESPACE TREE USER SHARED [COMMAND...]
set -eu
outside=$1 tree=$2 user=$3 shared=$4
shift 4
trap 'exit 130' INT
trap 'exit 143' TERM HUP

report() { printf 'fresh: %s\n' "$*" >&2; }
die() { report "$*"; exit 1; }

# In the host's mount namespace the mounts would outlive this process.
[ "$(readlink /proc/self/ns/mnt)" != "$outside" ] || die "machine.sh must run in a new mount namespace"

if [ "$user" = root ]; then home=/root; else home=/home/$user; fi

mount_devices() {
  mount -t tmpfs -o mode=755,nosuid dev "$tree/dev"
  for device in null zero full random urandom tty; do
    : >"$tree/dev/$device"
    mount --bind "/dev/$device" "$tree/dev/$device"
  done
  mkdir "$tree/dev/pts" "$tree/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$tree/dev/pts"
  mount -t tmpfs -o mode=1777,nosuid,nodev shm "$tree/dev/shm"
  ln -s pts/ptmx "$tree/dev/ptmx"
  ln -s /proc/self/fd "$tree/dev/fd"
  for number in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${number%:*}" "$tree/dev/${number#*:}"; done
}

mount_shared() {
  [ -n "$shared" ] || return 0
  mkdir "$tree$home/shared"
  mount --bind "$shared" "$tree$home/shared"
  mount -o remount,bind,ro "$tree$home/shared"
}

# After pivot_root even root cannot reach the host's files.
enter() {
  mount --bind "$tree" "$tree"
  mount -t proc proc "$tree/proc"
  mount --rbind /sys "$tree/sys"
  mount_devices
  mount_shared
  hostname fresh
  grep -qw fresh "$tree/etc/hosts" || echo '127.0.1.1 fresh' >>"$tree/etc/hosts"
  cd "$tree"
  pivot_root . mnt
  cd /
  umount -l /mnt
}

# as_user COMMAND...: runs it in the clone, with a login environment and the host's proxies and indexes.
as_user() {
  case $user in root) path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin ;; *) path=/usr/local/bin:/usr/bin:/bin ;; esac
  (
    cd "$home/geoshops" || exit 1
    for name in $(env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p'); do
      case $name in
        *_proxy | *_PROXY | PIP_* | NPM_* | npm_* | UV_* | SSL_CERT_* | *_CA_BUNDLE | GIT_SSL_CAINFO | NODE_EXTRA_CA_CERTS) ;;
        *) unset "$name" ;;
      esac
    done
    PATH=$path HOME=$home USER=$user LOGNAME=$user SHELL=/bin/bash exec /sbin/runuser -u "$user" -- "$@"
  )
}

# Runs the apt command as an administrator would. policy-rc.d prevents services, which would use the host's network.
as_administrator() {
  report "the administrator runs: $1"
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod 755 /usr/sbin/policy-rc.d
  DEBIAN_FRONTEND=noninteractive sh -c "$1" >&2
  rm /usr/sbin/policy-rc.d
}

# step COMMAND...: runs it as the user. If it asks an administrator for packages, installs them and runs it once
# more; it must name all packages at once.
step() {
  [ "$user" != root ] || { as_user "$@"; return; }
  { as_user "$@" 2>&1 && echo 0 >/run/status || echo $? >/run/status; } | tee /run/output
  command=$(sed -n 's/.*Ask an administrator to run: //p' /run/output)
  [ "$(cat /run/status)" != 0 ] && [ -n "$command" ] || return "$(cat /run/status)"
  as_administrator "$command"
  as_user "$@"
}

timed() {
  report "\$ $*"
  started=$(date +%s)
  step "$@" || { code=$?; report "failed with $code after $(($(date +%s) - started)) s: $*"; return "$code"; }
  report "took $(($(date +%s) - started)) s: $*"
}

# Requests the addresses that the demo prints.
try_demo() {
  address=$(as_user scripts/demo status | sed -n 's/^server: .* \(http[^ ,]*\),.*/\1/p')
  [ -n "$address" ] || die "scripts/demo status prints no address"
  as_user curl -fsS -o /dev/null "$address" || die "the map page does not respond"
  as_user curl -fsS "${address}shops/brand?userLat=37.4979&userLng=127.0276&mapLat=37.4979&mapLng=127.0276" |
    as_user python3 -c 'import json, sys; sys.exit(not json.load(sys.stdin))' || die "the API returns no shops"
  report "map and API respond on $address"
}

enter
if [ $# -gt 0 ]; then
  step "$@"
else
  timed scripts/demo
  try_demo
  timed scripts/test
  as_user scripts/demo stop
  [ ! -e /usr/sbin/policy-rc.d ] || die "scripts/ left /usr/sbin/policy-rc.d behind"
fi
