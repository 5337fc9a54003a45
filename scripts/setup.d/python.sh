# shellcheck shell=sh
# The virtual environment in .venv. Sourced after common.sh and apt.sh.

STAMP=$VENV/.geoshops-installed

python_new() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

# On Debian, ensurepip is in the separate package python3-venv.
can_make_venv() { "$1" -c 'import venv, ensurepip; ensurepip.version()' 2>/dev/null; }

# Prefers the distribution's Python, which is built with profile-guided optimisation, and any Python that can
# create environments over one that cannot.
find_python() {
  lacking=
  for name in /usr/bin/python3 python3 python3.13 python3.12 python3.11 python3.14; do
    python_new "$name" || continue
    if can_make_venv "$name"; then
      command -v "$name"
      return 0
    fi
    lacking=${lacking:-$name}
  done
  [ -n "$lacking" ] && command -v "$lacking"
}

venv_complete() {
  [ -x "$VENV/bin/python" ] && python_new "$VENV/bin/python" && { [ -x "$VENV/bin/pip" ] || have uv; }
}

need_python() {
  venv_complete && return 0
  python=$(find_python) || return 0
  can_make_venv "$python" || have uv || apt_need "Python's venv module" python3-venv
}

make_venv() {
  venv_complete && return 0
  need_python
  install_needed
  python=$(find_python) || python=
  if [ -n "$python" ] && can_make_venv "$python"; then
    run "$python" -m venv --clear "$VENV"
    upgrade_pip "$VENV"
  elif have uv; then
    run uv venv -q --clear --python "${python:-3.12}" "$VENV"
  else
    die "Python 3.11 or newer is needed; this is $(python3 --version 2>&1). Install it, or uv (https://docs.astral.sh/uv/), which brings one."
  fi
}

# upgrade_pip ENVIRONMENT: the bundled pip is as old as the distribution's Python.
upgrade_pip() {
  run "$1/bin/python" -m pip install -q --disable-pip-version-check -r "$PARTS/pip.txt" >&2 ||
    die "pip could not be upgraded. Check the network and the package index (pip config list)."
}

# Prefers uv because it is faster; falls back to pip, which may be configured with indexes that uv ignores.
pip_install() {
  # with PYTHONDONTWRITEBYTECODE set, every start would compile all modules
  if have uv && run uv pip install -q --compile-bytecode --python "$VENV/bin/python" "$@"; then return 0; fi
  run "$VENV/bin/python" -m pip install -q --disable-pip-version-check "$@" ||
    die "the Python packages could not be installed. Check the network and the package index (pip config list), then run scripts/setup again."
}

wanted_hash() { cat "$ROOT/setup.cfg" "$ROOT/pyproject.toml" "$ROOT/scripts/constraints.txt" | sha256; }
installed_hash() { sed -n 1p "$STAMP" 2>/dev/null || :; }
installed_extras() { sed -n 2p "$STAMP" 2>/dev/null || :; }

has_extra() { case ",$1," in *",$2,"*) return 0 ;; esac; return 1; }

# setup_python EXTRAS: installs comma-separated extras in addition to those installed before.
setup_python() {
  make_venv
  extras=$(installed_extras)
  for extra in $(printf %s "${1-}" | tr ',' ' '); do
    has_extra "$extras" "$extra" || extras=${extras:+$extras,}$extra
  done
  if [ "$(installed_hash)" = "$(wanted_hash)" ] && [ "$(installed_extras)" = "$extras" ]; then return 0; fi
  (cd "$ROOT" && pip_install -c scripts/constraints.txt -e ".${extras:+[$extras]}") || exit 1
  printf '%s\n%s\n' "$(wanted_hash)" "$extras" >"$STAMP"
}

# Pins versions for every supported Python and platform. Pinned versions that still satisfy setup.cfg or
# requirements.in are kept; delete the file first to update all. See docs/pins.md.
pin_python() {
  have uv || die "uv is needed (pip install uv)"
  cd "$ROOT"
  compile_pins setup.cfg scripts/constraints.txt --all-extras
  find scripts -name requirements.in | while read -r wanted; do
    compile_pins "$wanted" "${wanted%.in}.txt" </dev/null
  done
}

compile_pins() {
  wanted=$1 pins=$2
  shift 2
  run uv pip compile -q --universal --python-version 3.11 "$@" --no-header \
    --no-annotate --no-emit-index-url --no-emit-find-links "$wanted" -o "$pins"
}
