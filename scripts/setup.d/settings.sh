# shellcheck shell=sh
# Generated settings in .env except the database. Sourced after common.sh.

setup_secrets() {
  if [ -z "${GEOSHOPS_SECRET_KEY-}${GEOSHOPS_SECRET_KEY_FILE-}" ]; then
    env_default GEOSHOPS_SECRET_KEY "$(random_hex 32)"
  fi
}
