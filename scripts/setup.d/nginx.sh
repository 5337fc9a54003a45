# shellcheck shell=sh
# nginx, the production front. Sourced after common.sh and apt.sh. Only its program is used: no
# configuration, folder or service of the system's nginx is read, started or stopped.

find_nginx() {
  NGINX=$(command -v nginx || ls /usr/sbin/nginx 2>/dev/null || :)
  [ -n "$NGINX" ]
}

# Debian's package would serve its own page on port 80, now and after every boot: nobody asked for that.
install_nginx() {
  policy=/usr/sbin/policy-rc.d
  if can_apt && [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_admin tee "$policy" >/dev/null
    as_admin chmod 755 "$policy"
    on_exit allow_services
  fi
  apt_install "nginx, the production front" nginx
  ! have systemctl || as_admin systemctl disable --quiet nginx 2>/dev/null || :
}

allow_services() { as_admin rm -f "$policy"; }

require_nginx() {
  find_nginx && return 0
  install_nginx
  find_nginx || die "nginx is installed but its program was not found"
}
