#!/bin/sh
# Entry point of the service's container; the same server and options as scripts/serve.
set -eu
PROMETHEUS_MULTIPROC_DIR=${TMPDIR:-/tmp}/metrics
export PROMETHEUS_MULTIPROC_DIR
mkdir -p "$PROMETHEUS_MULTIPROC_DIR"
rm -f "$PROMETHEUS_MULTIPROC_DIR"/*.db

# A .env written by scripts/demo names the development provider on the host's loopback interface, which a
# container cannot reach: every sign-in would be a 502.
case ${GEOSHOPS_IDP_DISCOVERY_URL:-${GEOSHOPS_IDP_ISSUER-}} in
  *://127.* | *://localhost[:/]* | *://localhost | *://\[::1\]*)
    echo "geoshops: sign-in is off: a container cannot reach an identity provider on the host's loopback (GEOSHOPS_IDP_ISSUER)" >&2
    unset GEOSHOPS_IDP_CLIENT_ID ;;
esac

exec granian --interface wsgi --host "$HOST" --port "$PORT" \
  --workers "${WEB_CONCURRENCY:-2}" --blocking-threads "${GEOSHOPS_POOL_SIZE:-5}" \
  --backpressure 2048 --workers-kill-timeout 10 --no-ws --no-access-log --respawn-failed-workers wsgi:app
