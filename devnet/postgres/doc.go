// Package postgres runs a private PostgreSQL for a development network: it finds (or installs) the server's programs,
// makes a database cluster in the data directory, starts the server as a child process on a loopback port, and stops
// it. It does not touch any other PostgreSQL on the machine.
package postgres
