# shellcheck shell=sh
# Debian packages that only the tests use. Sourced after common.sh, apt.sh and postgres.sh.

# PROGRAM:PACKAGE for the programs that tests start.
TEST_PROGRAMS="nginx:nginx redis-server:redis-server promtool:prometheus prometheus:prometheus pgbouncer:pgbouncer haproxy:haproxy wrk:wrk"

have_chromium() {
  [ -z "${GEOSHOPS_CHROMIUM-}" ] || return 0
  have chromium-headless-shell || have chromium || have chromium-browser || have google-chrome
}

# The headless shell draws no window, so pages load sooner. Not every distribution has it.
need_chromium() {
  if can_apt; then apt_refresh; fi
  if package_known chromium-headless-shell; then apt_need Chromium chromium-headless-shell; else apt_need Chromium chromium; fi
}

# Without a Korean font, screenshots show boxes instead of names.
have_korean_font() { have fc-list && fc-list ':lang=ko' 2>/dev/null | grep -q .; }

# Playwright's node is linked with libatomic. Only Linux has ldconfig.
have_libatomic() { ! have_program ldconfig || (PATH=$PATH:/usr/sbin:/sbin && ldconfig -p) | grep -q 'libatomic\.so\.1 '; }

have_plpgsql_check() { [ -f "/usr/share/postgresql/$1/extension/plpgsql_check.control" ]; }

# The package's name holds PostgreSQL's major version. Before the first apt-get update that is unknown: .. is a regular
# expression for apt-get, so that an administrator is asked only once.
need_plpgsql_check() {
  major=$(installed_major)
  [ -n "$major" ] || major=$(packaged_major)
  have_plpgsql_check "$major" || apt_need plpgsql_check "postgresql-${major:-..}-plpgsql-check"
}

need_test_packages() {
  have_chromium || need_chromium
  have_korean_font || apt_need "a Korean font" fonts-nanum fontconfig
  have_card_fonts || apt_need "fonts for preview pictures" fonts-noto-cjk
  have_libatomic || apt_need "libatomic for Playwright" libatomic1
  for pair in $TEST_PROGRAMS; do
    have_program "${pair%%:*}" || apt_need "${pair%%:*}" "${pair#*:}"
  done
  need_plpgsql_check
}

# Only skips tests; missing PostgreSQL or Python is reported by a later step.
skip_needed() {
  [ -z "$NEEDED" ] || say "missing: $NEEDED_FOR. Tests that need it are skipped or fail. To run them: $(apt_line "$NEEDED")"
  NEEDED=
  NEEDED_FOR=
}
