// Package postgres runs a private PostgreSQL for a development network: it finds (or installs) the server's programs,
// makes a database cluster under the data directory, starts the server as a child process on a loopback port, and
// stops it. Nothing of a PostgreSQL that the machine already runs is touched.
package postgres
