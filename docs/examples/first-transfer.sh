#!/usr/bin/env bash
# The first transfer, with the command line.
set -euo pipefail
command -v florin > /dev/null || PATH=$PWD/bin:$PATH

florin party new alice bob
florin tap alice 100
florin send alice bob 5 --note lunch
florin balance
florin history bob
