package main

import "github.com/florinledger/florin/cmd/florin/secret"

// databaseSettings say which PostgreSQL holds the record. Every command that reaches it takes them.
type databaseSettings struct {
	DatabaseURL     string `help:"PostgreSQL of the record: postgres://user:password@host:port/database." env:"FLORIN_DATABASE_URL" secret:""`
	DatabaseURLFile string `name:"database-url-file" help:"File that holds that URL; nodes read its user and password again on SIGHUP." env:"FLORIN_DATABASE_URL_FILE"`
}

// named reports whether a database was named at all.
func (s databaseSettings) named() bool { return s.DatabaseURL != "" || s.DatabaseURLFile != "" }

// url is where the database is, "" if none was named.
func (s databaseSettings) url() (string, error) {
	return secret.Of(s.DatabaseURL, s.DatabaseURLFile, "database-url")
}
