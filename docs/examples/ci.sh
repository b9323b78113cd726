#!/usr/bin/env bash
# Start a node on free ports for the tests of one job, use it, and stop it.
set -euo pipefail
command -v florin > /dev/null || PATH=$PWD/bin:$PATH

export FLORIN_DATA_DIR=${FLORIN_DATA_DIR:-$PWD/.florin-ci}
florin up --detach --yes --listen 127.0.0.1:0 --temporal-ui-listen 127.0.0.1:0
trap 'florin stop && florin reset --yes' EXIT
eval "$(florin env)"

# the tests of the job use FLORIN_URL and TOKEN
curl -sfw '\n' "$FLORIN_URL/v2/state/ledger-end" -H "Authorization: Bearer $TOKEN"
