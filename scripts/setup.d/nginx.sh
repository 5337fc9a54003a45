# shellcheck shell=sh
# nginx, the production front. Sourced after common.sh and apt.sh. Only its program is used: no
# configuration, folder or service of the system's nginx is read, started or stopped.

find_nginx() {
  NGINX=$(command -v nginx || ls /usr/sbin/nginx 2>/dev/null || :)
  [ -n "$NGINX" ]
}

require_nginx() {
  find_nginx && return 0
  apt_install "nginx, the production front" nginx
  find_nginx || die "nginx is installed but its program was not found"
}
