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
	# An upgrade does not restart a running node: the database may need its new schema first, with all nodes stopped.
	if systemctl is-active --quiet florin; then
		echo "florin: the node still runs the version before: stop it, run 'florin migrate', start it again"
	fi
fi
