#!/bin/sh
# An upgrade keeps the node running; a removal stops it. dpkg says "remove", rpm says how many versions stay.
set -e
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then systemctl disable --now florin || true; fi
	;;
esac
