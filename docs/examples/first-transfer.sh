#!/usr/bin/env bash
# The first transfer, with the command line.
set -euo pipefail
command -v florin > /dev/null || PATH=$PWD/bin:$PATH

florin party new dana erin
florin tap dana 100
florin send dana erin 5 --note lunch
florin balance dana erin
florin history erin
