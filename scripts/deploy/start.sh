#!/bin/sh
# What the container runs; the same server and options as scripts/serve.
set -eu
mkdir -p "$PROMETHEUS_MULTIPROC_DIR"
rm -f "$PROMETHEUS_MULTIPROC_DIR"/*.db
exec granian --interface wsgi --host "$HOST" --port "$PORT" \
  --workers "${WEB_CONCURRENCY:-2}" --blocking-threads "${GEOSHOPS_POOL_SIZE:-4}" \
  --backpressure 2048 --workers-kill-timeout 10 --no-ws --no-access-log --respawn-failed-workers wsgi:app
