# shellcheck shell=sh
# Finds or installs nginx, the reverse proxy of --production. Sourced after common.sh and apt.sh. Only the
# program is used: the system's nginx service and its configuration are not touched.

find_nginx() {
  NGINX=$(command -v nginx || ls /usr/sbin/nginx 2>/dev/null || :)
  [ -n "$NGINX" ]
}

require_nginx() {
  find_nginx && return 0
  apt_install "nginx, the reverse proxy" nginx
  find_nginx || die "nginx is installed but its program was not found"
}
