#!/bin/sh
# The user first: the settings hold a password, which only it and root may read.
set -e
if command -v systemd-sysusers >/dev/null 2>&1; then
	systemd-sysusers florin.conf
elif ! getent passwd florin >/dev/null 2>&1; then
	useradd --system --user-group --home-dir /var/lib/florin --shell /usr/sbin/nologin florin
fi
chgrp florin /etc/florin/florin.env
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
	# An upgrade does not restart what runs: the database may need its new schema first, while the version before goes on.
	if systemctl is-active --quiet 'florin*.service'; then
		echo "florin: the version before still runs, and goes on: run 'florin migrate', then restart each process," \
			"one after the other, on all machines (docs/guides/upgrades.md, docs/guides/systemd.md)"
	fi
fi
