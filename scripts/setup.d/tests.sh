# shellcheck shell=sh
# Debian's packages that only the tests use. Sourced after common.sh and apt.sh.

# PROGRAM:PACKAGE for every program that a test of the default run starts.
TEST_PROGRAMS="nginx:nginx redis-server:redis-server promtool:prometheus prometheus:prometheus pgbouncer:pgbouncer haproxy:haproxy"

have_chromium() { [ -n "${GEOSHOPS_CHROMIUM-}" ] || have chromium || have chromium-browser || have google-chrome; }

# Without a Korean font the pictures show boxes instead of names.
have_korean_font() { have fc-list && fc-list ':lang=ko' 2>/dev/null | grep -q .; }

# The node that Playwright brings is linked with it; only Linux has ldconfig.
have_libatomic() { ! have_program ldconfig || (PATH=$PATH:/usr/sbin:/sbin && ldconfig -p) | grep -q 'libatomic\.so\.1 '; }

need_test_packages() {
  have_chromium || apt_need Chromium chromium
  have_korean_font || apt_need "a Korean font" fonts-nanum fontconfig
  have_libatomic || apt_need "libatomic for Playwright" libatomic1
  for pair in $TEST_PROGRAMS; do
    have_program "${pair%%:*}" || apt_need "${pair%%:*}" "${pair#*:}"
  done
}

# What may be missing costs some tests; the packages of PostgreSQL and Python stop the run later.
skip_needed() {
  [ -z "$NEEDED" ] || say "missing: $NEEDED_FOR. The tests that need it are skipped or fail. To run them: $(apt_line "$NEEDED")"
  NEEDED=
  NEEDED_FOR=
}
