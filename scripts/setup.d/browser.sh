# shellcheck shell=sh
# Chromium and a Korean font for the browser tests. Sourced after common.sh and apt.sh.

find_chromium() {
  [ -z "${GEOSHOPS_CHROMIUM-}" ] || { printf '%s\n' "$GEOSHOPS_CHROMIUM"; return 0; }
  command -v chromium || command -v chromium-browser || command -v google-chrome
}

# Without a Korean font the pictures show boxes instead of names.
korean_font() { ! have fc-list || fc-list ':lang=ko' 2>/dev/null | grep -q .; }

setup_browser() {
  [ -d "$ROOT/tests/browser" ] || return 0
  missing=
  find_chromium >/dev/null || missing=chromium
  korean_font || missing="$missing fonts-nanum"
  [ -n "$missing" ] || return 0
  if can_apt; then
    # shellcheck disable=SC2086 # a list of package names
    apt_install "What the browser tests need" $missing fontconfig
  else
    say "the browser tests will be skipped or show boxes for Hangul; missing:$missing ($(apt_line "$missing"))"
  fi
}
