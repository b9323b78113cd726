package node

import "github.com/florinledger/florin/internal/secret"

// DatabaseSettings say which PostgreSQL holds the record. Every command that reaches it takes them.
type DatabaseSettings struct {
	DatabaseURL     string `help:"PostgreSQL of the record: postgres://user:password@host:port/database." env:"FLORIN_DATABASE_URL" secret:""`
	DatabaseURLFile string `name:"database-url-file" help:"File that holds that URL; nodes read its user and password again on SIGHUP." env:"FLORIN_DATABASE_URL_FILE"`
}

// Named reports whether a database was named at all.
func (s DatabaseSettings) Named() bool { return s.DatabaseURL != "" || s.DatabaseURLFile != "" }

// URL is where the database is, "" if none was named.
func (s DatabaseSettings) URL() (string, error) {
	return secret.Of(s.DatabaseURL, s.DatabaseURLFile, "database-url")
}
