# shellcheck shell=sh
# Address and process of the demo's server. Sourced after common.sh.

SERVER_PID=$STATE/server.pid
SERVER_LOG=$STATE/server.log

# Fixed at set-up because redirect URIs of sign-in contain it.
choose_port() { [ -n "${PORT-}" ] || env_default PORT "$(free_port 8000)"; }

is_port() {
  case $1 in '' | *[!0-9]* | ??????*) return 1 ;; esac
  [ "$1" -ge 1 ] && [ "$1" -le 65535 ]
}

# A given PORT must be free; the default moves to the next free port.
choose_address() {
  HOST=${HOST:-$(env_get HOST)}
  HOST=${HOST:-127.0.0.1}
  if [ -n "${PORT-}" ]; then
    is_port "$PORT" || die "PORT must be a number between 1 and 65535, not '$PORT'"
    { port_free "$PORT" && claim_port "$PORT"; } || die "port $PORT is in use; choose another one with PORT=..."
  else
    PORT=$(env_get PORT)
    PORT=$(free_port "${PORT:-8000}")
    until claim_port "$PORT"; do PORT=$(free_port "$((PORT + 1))"); done
    env_set PORT "$PORT"
  fi
  export HOST PORT
}

# Granian sets SO_REUSEPORT, so two servers that start at the same time could share the port. The server inherits
# the descriptor and thereby holds the lock until it ends. Without flock the port is not locked.
claim_port() {
  [ "${CLAIMED_PORT-}" != "$1" ] || return 0
  command -v flock >/dev/null || return 0
  claim=/tmp/geoshops-port-$1
  # /tmp is shared: neither follow links nor block on what is not a regular file
  # the second test: another start may create the file in between
  [ -e "$claim" ] || (umask 022 && set -C && : >"$claim") 2>/dev/null || [ -e "$claim" ] || return 0
  { [ -f "$claim" ] && [ ! -L "$claim" ] && [ -r "$claim" ]; } || return 0
  exec 9<"$claim"
  flock -n 9 || return 1
  export CLAIMED_PORT="$1"
}

# Removes the metrics of ended workers, which would be counted forever. One folder per port: other servers' are kept.
prepare_metrics() {
  make_state_dir
  PROMETHEUS_MULTIPROC_DIR=${PROMETHEUS_MULTIPROC_DIR:-$STATE/metrics-$PORT}
  mkdir -p "$PROMETHEUS_MULTIPROC_DIR"
  rm -f "$PROMETHEUS_MULTIPROC_DIR"/*.db
  export PROMETHEUS_MULTIPROC_DIR
}

server_running() {
  pid=$(cat "$SERVER_PID" 2>/dev/null || :)
  [ -n "$pid" ] || return 1
  case $(process_args "$pid") in *"$VENV"*granian*) return 0 ;; esac
  return 1
}

# URL for a browser on this machine.
server_url() {
  case $HOST in 0.0.0.0 | '' | ::) shown=127.0.0.1 ;; *:*) shown="[$HOST]" ;; *) shown=$HOST ;; esac
  printf 'http://%s:%s' "$shown" "$PORT"
}

responds() { small_python - "$1" <<'PY' >/dev/null 2>&1
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
sys.exit(opener.open(sys.argv[1], timeout=5).status != 200)
PY
}

start_server() {
  say "+ scripts/serve >$SERVER_LOG &"
  (umask 077 && cd "$ROOT" && HOST=$HOST PORT=$PORT exec nohup scripts/serve >"$SERVER_LOG" 2>&1 </dev/null) &
  printf '%s\n' "$!" >"$SERVER_PID"
}

wait_ready() {
  tries=0
  # server_running excludes a response of another server that took the port.
  until responds "$(server_url)/readyz" && server_running; do
    tries=$((tries + 1))
    if [ "$tries" -gt 120 ] || ! process_alive "$(cat "$SERVER_PID")"; then
      say "$(tail -n 20 "$SERVER_LOG")"
      die "the server did not become ready; see the end of $SERVER_LOG above, or run .venv/bin/geoshops doctor"
    fi
    sleep 0.25
  done
}

stop_server() {
  if server_running; then
    say "+ kill $pid (server)"
    kill "$pid"
    wait_gone "$pid" 30
  fi
  rm -f "$SERVER_PID"
}

# wait_gone PID SECONDS: sends SIGKILL after that time.
wait_gone() {
  left=$(($2 * 5))
  while process_alive "$1"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || { kill -9 "$1" 2>/dev/null || :; return 0; }
    sleep 0.2
  done
}
